// Colours of values. Scales are as far from the paper as values are from 0, in lightness first, so
// that grey print and eyes that do not tell colours apart read them the same.

const printing = {
    now: false
};
const darkScreen = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => darkScreen.matches && !printing.now;

const stops = {
    above: [
        "#fef8e1", "#ebdbb0", "#d7bf82", "#b4a37b", "#918874", "#6e6f78", "#45577a", "#233c67",
        "#002354"
    ],
    light: [
        "#00438d", "#3271af", "#69a3d3", "#b3cce5", "#f6f6f6", "#f3c4a1", "#e4934f", "#b46129",
        "#843104"
    ],
    dark: [
        "#bae3fb", "#79aedc", "#227cbe", "#33506e", "#282828", "#6f4327", "#b85f1e", "#e1985d",
        "#ffd49d"
    ],
};
// What is no finite number has colours that no scale has. An infinite modulus has that of no hue.
const specialColours = {
    light: {nan: "#d6187f", above: "#17b897", below: "#c08af0", infinite: "#101216"},
    dark: {nan: "#ff5fb0", above: "#12d6ae", below: "#6f52ad", infinite: "#ffffff"},
};

const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;

// 256 colours between the stops.
function rampOf(list) {
    const ramp = new Uint32Array(256);
    for (let k = 0; k < 256; ++k) {
        const at = k / 255 * (list.length - 1), low = Math.min(Math.floor(at), list.length - 2);
        const a = channels(list[low]), b = channels(list[low + 1]);
        ramp[k] = pixel(a.map((x, c) => Math.round(x + (b[c] - x) * (at - low))));
    }
    return ramp;
}

// The scale of a range of values: around 0 where some are negative. It is full at a part of the
// range, 1 for all of it; 0 for what most values need, where few are much larger.
function scaleOf(range, full, difference) {
    let {least, most, usual} = range;
    if (!(least <= most)) least = 0, most = 1;
    const signed = !range.complex && (difference || least < 0);
    if (range.complex) most = Math.max(Math.abs(least), Math.abs(most)), least = 0;
    if (signed) most = Math.max(Math.abs(least), Math.abs(most)), least = -most;
    else if (least <= most / 2 || least === most) least = 0;  // one value is not drawn as 0
    if (least === most) signed ? (least = -1, most = 1) : (most = 1);
    if (full === 0) {
        const part = signed ? usual / most : (usual - least) / (most - least);
        full = part > 0 && part < 0.5 ? part : 1;
    }
    const clipped = full < 1;
    if (signed) least *= full, most *= full;
    else most = least + (most - least) * full;
    const dark = isDark();
    const list = signed ? stops[dark ? "dark" : "light"] :
        dark            ? [...stops.above].reverse() :
                          stops.above;
    const special = specialColours[dark ? "dark" : "light"];
    return {
        least,
        most,
        signed,
        complex: Boolean(range.complex),
        clipped,
        ramp: rampOf(list),
        factor: 255 / (most - least) || 255 / most / 2,
        nan: pixel(channels(special.nan)),
        above: pixel(channels(range.complex ? special.infinite : special.above)),
        below: pixel(channels(special.below)),
        special,
    };
}
function colourOf(scale, value) {
    if (Number.isNaN(value)) return scale.nan;
    if (value === Infinity) return scale.above;
    if (value === -Infinity) return scale.below;
    return scale.ramp[Math.max(0, Math.min(255, Math.round((value - scale.least) * scale.factor)))];
}
function cssColour(number) {
    return `rgb(${number & 255}, ${number >> 8 & 255}, ${number >> 16 & 255})`;
}
