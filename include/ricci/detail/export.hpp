// What programs can link to of the compiled libraries; all else in them is hidden.
#pragma once

/// Stands before the declaration of a function that is compiled in a library, and between `class`
/// and the name of a class that has members, or is thrown, there. tests/package/symbols.py compares
/// what a library exports with a list.
#define RICCI_EXPORT [[gnu::visibility("default")]]
/// Hides what a compiler would export all the same.
#define RICCI_HIDDEN [[gnu::visibility("hidden")]]
