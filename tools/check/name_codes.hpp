// Names that a page writes and the notation has no letters for: \mathbf{b}, \ddot{\theta},
// \rho(x/y).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ricci::papers {

/// Each such name is spelled as a word of its own; what is said of it shows it as the page does.
class name_codes {
public:
    /// The word for what the page writes as `written`; the same word each time.
    std::string word(const std::string& written) { return word_for(written, written, false); }
    /// \text{word}, a name of the notation.
    std::string name(const std::string& written) { return "\\text{" + word(written) + "}"; }
    /// The name of what a function has at a place, where no equation says what the function is: the
    /// same for the same `key`.
    std::string value(const std::string& key, const std::string& written) {
        return "\\text{" + word_for(key, written, true) + "}";
    }
    /// Whether a text has such values: it does not say how they rest on what stands in the
    /// parentheses.
    static bool has_values(const std::string& text);
    /// A sentence, with all names as the page writes them.
    std::string shown(const std::string& sentence) const;
    /// Whether a name is such a word, perhaps with a label.
    static bool is_coded(const std::string& name);

private:
    std::string word_for(const std::string& key, const std::string& written, bool value);

    std::map<std::string, std::string> words_;
    std::vector<std::string> written_;
};

}  // namespace ricci::papers
