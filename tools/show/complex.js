// Colours of complex numbers: hue is the phase, and how far the colour is from the paper, in
// lightness, is the modulus. All hues are as light as each other (Ottosson 2020, Oklab).

const gammaOf = new Uint8Array(4097).map((_, k) => {
    const x = k / 4096;
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
});
const channelOf = (linear) => gammaOf[Math.round(4096 * Math.max(0, Math.min(1, linear)))];

function pixelOfOklab(lightness, a, b) {
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return pixel([
        channelOf(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        channelOf(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        channelOf(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
    ]);
}

// Phase 0 is red, a quarter turn further yellow and green, half a turn blue-green. `pure`: less
// than 1 where several numbers share a pixel whose phases differ.
const hueOfZero = 25 / 180 * Math.PI;
function complexColour(scale, modulus, phase, pure = 1) {
    if (!isFinite(modulus)) return Number.isNaN(modulus) ? scale.nan : scale.above;
    const part = Math.min(1, modulus / scale.most), chroma = 0.13 * part * pure;
    const lightness = isDark() ? 0.24 + 0.54 * part : 0.98 - 0.42 * part;
    return pixelOfOklab(
        lightness, chroma * Math.cos(phase + hueOfZero), chroma * Math.sin(phase + hueOfZero));
}

// What a row of a panel has as phases; numbers that are none have that of their sign.
function phasesOfRow(panel, row, values) {
    return panel.phase ? panel.phase.row(row) : values.map((x) => x < 0 ? Math.PI : 0);
}
const phaseAt = (panel, row, column) =>
    panel.phase ? panel.phase.at(row, column) : panel.at(row, column) < 0 ? Math.PI : 0;

function drawComplexCells(panel, across, down, pixels, width, scale) {
    for (let y = 0; y < down.begin.length; ++y) {
        const row = down.begin[y], to = y * width;
        if (y > 0 && row === down.begin[y - 1]) {
            pixels.copyWithin(to, to - width, to);
            continue;
        }
        const values = panel.row(row), phases = phasesOfRow(panel, row, values);
        for (let x = 0; x < width; ++x) {
            const k = across.begin[x];
            const same = x > 0 && k === across.begin[x - 1];
            pixels[to + x] =
                same ? pixels[to + x - 1] : complexColour(scale, Math.abs(values[k]), phases[k]);
        }
    }
}

const partsOfTurn = 4096;
const cosines =
    new Float64Array(partsOfTurn).map((_, k) => Math.cos(k / partsOfTurn * 2 * Math.PI));

// The mean of the moduli, in the hue of the mean number, which is greyer the more phases differ.
function drawComplexMeans(panel, across, down, pixels, width, scale) {
    const {begin, end} = across;
    const moduli = new Float64Array(width), real = new Float64Array(width),
          imaginary = new Float64Array(width), special = new Uint8Array(width);
    for (let y = 0; y < down.begin.length; ++y) {
        for (const sums of [moduli, real, imaginary, special]) sums.fill(0);
        for (let row = down.begin[y]; row < down.end[y]; ++row) {
            const values = panel.row(row), phases = phasesOfRow(panel, row, values);
            for (let x = 0; x < width; ++x)
                for (let k = begin[x]; k < end[x]; ++k) {
                    const modulus = Math.abs(values[k]);
                    if (!isFinite(modulus)) {
                        special[x] = Math.max(special[x], specialRank(modulus));
                        continue;
                    }
                    moduli[x] += modulus;
                    // the nearest of so many parts of a turn is exact enough for a colour
                    const turned = Math.round(phases[k] * partsOfTurn / (2 * Math.PI));
                    real[x] += modulus * cosines[turned & partsOfTurn - 1];
                    imaginary[x] += modulus * cosines[turned - partsOfTurn / 4 & partsOfTurn - 1];
                }
        }
        const rows = down.end[y] - down.begin[y], to = y * width;
        for (let x = 0; x < width; ++x) {
            if (special[x]) {
                pixels[to + x] = special[x] === 3 ? scale.nan : scale.above;
                continue;
            }
            const together = Math.hypot(real[x], imaginary[x]);
            pixels[to + x] = complexColour(
                scale, moduli[x] / (rows * (end[x] - begin[x])), Math.atan2(imaginary[x], real[x]),
                moduli[x] > 0 ? together / moduli[x] : 1);
        }
    }
}

// All colours of a scale: phases around, moduli from the middle to the rim.
function wheelOf(scale) {
    const size = 52, half = size / 2;
    const canvas = element("canvas", {
        class: "wheel",
        width: size,
        height: size,
        role: "img",
        "aria-label": "colours of complex numbers: modulus from 0 in the middle to " +
            shortText(scale.most) + " at the rim, phase 0 to the right, a quarter turn above"
    });
    const image = new ImageData(size, size), pixels = new Uint32Array(image.data.buffer);
    for (let y = 0; y < size; ++y)
        for (let x = 0; x < size; ++x) {
            const right = (x + 0.5 - half) / half, up = (half - y - 0.5) / half;
            const modulus = Math.hypot(right, up);
            if (modulus <= 1)
                pixels[y * size + x] =
                    complexColour(scale, modulus * scale.most, Math.atan2(up, right));
        }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
}
function wheelLegend(scale, words) {
    const heading = words ? [element("b", {}, words)] : [];
    const more = scale.clipped ? " and more" : "";
    return element(
        "span", {class: "scale"}, ...heading, wheelOf(scale),
        element(
            "span", {}, `modulus 0 in the middle, ${shortText(scale.most)}${more} at the rim`,
            element("br"), "phase 0 to the right, \u03c0/2 above, \u00b1\u03c0 to the left"));
}

// b - a, as modulus and phase.
function complexDifference(a, b) {
    const moduli = new Float64Array(a.height * a.width), phases = new Float64Array(moduli.length);
    for (let row = 0; row < a.height; ++row)
        for (let column = 0; column < a.width; ++column) {
            const [from, upTo] = [a, b].map((panel) => {
                const modulus = Math.abs(panel.at(row, column));
                const phase = phaseAt(panel, row, column);
                return [modulus * Math.cos(phase), modulus * Math.sin(phase)];
            });
            const real = upTo[0] - from[0], imaginary = upTo[1] - from[1];
            const k = row * a.width + column;
            moduli[k] = Math.hypot(real, imaginary);
            phases[k] = Math.atan2(imaginary, real);
        }
    const panel = new Panel(a.height, a.width, moduli);
    panel.phase = new Panel(a.height, a.width, phases);
    return panel;
}

const degrees = (phase) => minus((phase * 180 / Math.PI).toFixed(1)) + "\u00b0";
// In a few characters, for tables.
function shortComplex(modulus, phase) {
    return shortText(modulus) + (isFinite(phase) && modulus !== 0 ? "\u2220" + degrees(phase) : "");
}
// `modulus` and `phase` as texts; a phase without a number, and that of 0, is left out.
function complexText(value, modulus, angle, phase) {
    if (!isFinite(value)) return Number.isNaN(value) ? modulus : "\u221e";
    if (value === 0) return "0";
    return `modulus ${modulus}, phase ${phase} (${degrees(angle)})`;
}
