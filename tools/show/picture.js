// The cells of a panel as pixels: a cell is many pixels, or many cells are one, which has their
// mean.

const specialRank = (value) => Number.isNaN(value) ? 3 : value > 0 ? 2 : 1;

// Which cells a pixel covers, of all pixels of a line: begin[k] to end[k].
function cellsOfPixels(first, last, pixels, extent) {
    const begin = new Int32Array(pixels), end = new Int32Array(pixels);
    for (let k = 0; k < pixels; ++k) {
        const from = first + (last - first) * k / pixels,
              to = first + (last - first) * (k + 1) / pixels;
        begin[k] = Math.min(extent - 1, Math.max(0, Math.floor(from + 1e-9)));
        end[k] = Math.max(begin[k] + 1, Math.min(extent, Math.floor(to + 1e-9)));
    }
    return {begin, end, single: last - first <= pixels};
}

// Draws the window {top, bottom, left, right}, in cells, of a panel.
function picture(panel, window, width, height, scale) {
    const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    const across = cellsOfPixels(window.left, window.right, width, panel.width);
    const down = cellsOfPixels(window.top, window.bottom, height, panel.height);
    const single = across.single && down.single;
    if (scale.complex && single) drawComplexCells(panel, across, down, pixels, width, scale);
    else if (scale.complex) drawComplexMeans(panel, across, down, pixels, width, scale);
    else if (single) drawCells(panel, across, down, pixels, width, scale);
    else drawMeans(panel, across, down, pixels, width, scale);
    return image;
}

function drawCells(panel, across, down, pixels, width, scale) {
    const {least, factor, ramp} = scale, begin = across.begin;
    for (let y = 0; y < down.begin.length; ++y) {
        const row = down.begin[y], to = y * width;
        if (y > 0 && row === down.begin[y - 1]) {
            pixels.copyWithin(to, to - width, to);
            continue;
        }
        const values = panel.row(row);
        for (let x = 0; x < width; ++x) {
            const value = values[begin[x]], place = (value - least) * factor + 0.5;
            if (place >= 0 && place < 256) pixels[to + x] = ramp[place | 0];
            else pixels[to + x] = colourOf(scale, value);
        }
    }
}

// One that is not finite shows among many: it is what one looks for.
function drawMeans(panel, across, down, pixels, width, scale) {
    const {least, factor, ramp} = scale, {begin, end} = across;
    const sums = new Float64Array(width), special = new Uint8Array(width);
    for (let y = 0; y < down.begin.length; ++y) {
        sums.fill(0);
        special.fill(0);
        for (let row = down.begin[y]; row < down.end[y]; ++row) {
            const values = panel.row(row);
            for (let x = 0; x < width; ++x) {
                let sum = 0;
                for (let k = begin[x], last = end[x]; k < last; ++k) sum += values[k];
                if (sum - sum === 0) sums[x] += sum;
                else special[x] = Math.max(special[x], rankIn(values, begin[x], end[x]));
            }
        }
        const rows = down.end[y] - down.begin[y], to = y * width;
        for (let x = 0; x < width; ++x) {
            if (special[x]) {
                pixels[to + x] = [0, scale.below, scale.above, scale.nan][special[x]];
                continue;
            }
            const mean = sums[x] / (rows * (end[x] - begin[x]));
            const place = (mean - least) * factor + 0.5;
            pixels[to + x] = ramp[place > 0 ? place < 256 ? place | 0 : 255 : 0];
        }
    }
}
function rankIn(values, from, to) {
    let rank = 0;
    for (let k = from; k < to; ++k)
        if (!isFinite(values[k])) rank = Math.max(rank, specialRank(values[k]));
    return rank;
}
