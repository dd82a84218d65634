// Numbers as text: the shortest that means the same, or as many digits as are known.

const minus = (text) => text.replaceAll("-", "\u2212");

function textOfSpecial(value) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "+\u221e" : "\u2212\u221e";
}
function textOfNumber(value) {
    if (!isFinite(value)) return textOfSpecial(value);
    return minus(String(value));
}
// The shortest text of a number of 32 bits that gives the same 32 bits.
function textOfSingle(value) {
    for (let digits = 1; digits < 9; ++digits) {
        const text = String(Number(value.toPrecision(digits)));
        if (Math.fround(Number(text)) === value) return minus(text);
    }
    return minus(String(Number(value.toPrecision(9))));
}
// No digit behind the first that is not known.
function textWithError(value, error) {
    if (error === 0) return textOfNumber(value);
    const least = Math.floor(Math.log10(error)),
          first = value === 0 ? least : Math.floor(Math.log10(Math.abs(value)));
    const digits = Math.min(15, Math.max(1, first - least + 1));
    return minus(String(Number(value.toPrecision(digits)))) + " \u00b1 " +
        error.toPrecision(1).replace("-", "\u2212");
}
// For scales and tables: four figures.
function shortText(value) {
    if (!isFinite(value)) return textOfSpecial(value);
    if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
    const size = Math.abs(value);
    if (size >= 1e-4 && size < 1e5) return minus(String(Number(value.toPrecision(4))));
    return minus(value.toExponential(2));
}
// For columns of a table, points below each other.
function columnTexts(values) {
    const finite = values.filter((x) => isFinite(x)), most = Math.max(0, ...finite.map(Math.abs));
    if (finite.every(Number.isInteger) && most < 1e7) return values.map(shortText);
    if (most === 0 || most >= 1e5 || most < 1e-3)
        return values.map((x) => isFinite(x) ? minus(x.toExponential(3)) : textOfSpecial(x));
    const digits = most < 0.1 ? 6 : most < 1000 ? 4 : 2;
    return values.map((x) => isFinite(x) ? minus(x.toFixed(digits)) : textOfSpecial(x));
}
function counted(count, what) {
    return count.toLocaleString("en") + " " + what + (count === 1 ? "" : "s");
}
