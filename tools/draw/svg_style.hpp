// The style of our SVG: colours are classes, so that dark screens get light lines.
#pragma once

namespace ricci::draw {

// Rules that are longer than a line here go on in the next piece.
inline constexpr const char* svg_style =
    R"(<style>
text { font-family: "Latin Modern Math", "STIX Two Text", Cambria, "DejaVu Serif", serif;)"
    R"( fill: #1a1a1a; }
.name { font-size: 17px; font-style: italic; text-anchor: middle; }
.word { font-size: 15px; text-anchor: middle; }
.letter { font-size: 14px; font-style: italic; text-anchor: middle; stroke: #ffffff;)"
    R"( stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.step { font-size: 11px; text-anchor: middle; fill: #ffffff; }
.end { font-size: 10px; text-anchor: middle; fill: #4b5a6b; stroke: #ffffff;)"
    R"( stroke-width: 2px; paint-order: stroke; }
.title { font-size: 16px; }
.title .slanted { font-style: italic; }
math { font-size: 17px; color: #1a1a1a; line-height: 1;)"
    R"( font-family: "Latin Modern Math", "STIX Two Math",)"
    R"( "Cambria Math", "DejaVu Math TeX Gyre", math, "DejaVu Serif", serif; }
foreignObject { overflow: visible; }
mtd { text-align: left; padding: 0.2em 0.4em 0.2em 0; }
.note { font-size: 13px; fill: #555555; }
.paper { fill: #ffffff; }
.line { fill: none; stroke: #1a1a1a; stroke-width: 1.6; }
.between { fill: none; stroke: #ffffff; stroke-width: 2; }
.number { stroke-dasharray: 4 3; }
.tensor { fill: #dbe8f6; stroke: #24507f; stroke-width: 1.6; }
.function { fill: #fbe9cf; stroke: #99611a; stroke-width: 1.4; }
.argument { fill: #fdf4e3; stroke: #99611a; stroke-width: 1.2; }
.stored { fill: #dcefdc; stroke: #2f6b35; stroke-width: 1.6; }
.ring { fill: none; stroke: #24507f; stroke-width: 1; }
.value { fill: #f1f1f1; stroke: #777777; stroke-width: 1; }
.mark { fill: #1a1a1a; }
.badge { fill: #a3343a; }
@media screen and (prefers-color-scheme: dark) {
text, .mark { fill: #e6e6e6; }
math { color: #e6e6e6; }
.letter, .end { stroke: #16181c; }
.end { fill: #a9b6c6; }
.note { fill: #a8a8a8; }
.paper { fill: #16181c; }
.line { stroke: #d8d8d8; }
.between { stroke: #16181c; }
.tensor { fill: #1e3450; stroke: #8ab4e0; }
.function { fill: #45331a; stroke: #e0b173; }
.argument { fill: #33281a; stroke: #e0b173; }
.stored { fill: #1f3b23; stroke: #8cc594; }
.ring { stroke: #8ab4e0; }
.value { fill: #2a2c31; stroke: #999999; }
.step { fill: #ffffff; }
}
</style>
)";

}  // namespace ricci::draw
