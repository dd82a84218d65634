// Tensors as they stand in the page: decoded when they are needed, a group of panels at a time.

const page = JSON.parse(document.getElementById("page").textContent);

// Comments, since browsers read those fastest.
const stored = [...document.getElementById("data").childNodes].filter(
    (node) => node.nodeType === Node.COMMENT_NODE);

function bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
    return bytes;
}

// Codes above the last step.
const specialOfCode = [NaN, -Infinity, Infinity];

// Rows times columns of one tensor, as `values`, or as `codes` in steps that are turned into
// numbers row by row: all numbers of a large tensor would take the browser longer to make room for
// than to draw.
class Panel {
    constructor(height, width, values) {
        this.height = height;
        this.width = width;
        this.values = values;
        this.codes = null;
        this.range = null;
        this.phase = null;  // a panel of the same extents, where the values are moduli
    }
    groupOf(row) { return this.firstGroup + Math.floor(row / this.steppedRows); }
    at(row, column) {
        const k = row * this.width + column;
        if (!this.codes) return Number(this.values[k]);
        const code = this.codes[k], group = this.groupOf(row);
        if (code > this.last) return specialOfCode[code - this.last - 1];
        // twice a half, since all of it may be more than a number holds
        const part = code * (this.steps[2 * group + 1] / 2);
        return this.steps[2 * group] + part + part;
    }
    // A row as numbers, until the next row is asked for.
    row(row) {
        const from = row * this.width, end = from + this.width;
        if (!this.codes) return this.values.subarray(from, end);
        const {codes, last, width} = this, numbers = this.scratch ??= new Float64Array(width);
        const group = this.groupOf(row), least = this.steps[2 * group],
              half = this.steps[2 * group + 1] / 2;
        for (let k = 0; k < width; ++k) {
            const code = codes[from + k];
            if (code <= last) numbers[k] = least + code * half + code * half;
            else numbers[k] = specialOfCode[code - last - 1];
        }
        return numbers;
    }
    // Half a step: how far the value may be from the one that was.
    error(row) { return this.codes ? this.steps[2 * this.groupOf(row) + 1] / 2 : 0; }
    // Least and most of what is finite, and the magnitude that 99 of 100 do not pass, of a sample.
    finiteRange() {
        if (this.range) return this.range;
        let least = Infinity, most = -Infinity, number = 0;
        const step = Math.ceil(this.height * this.width / 65536), sample = [];
        for (let row = 0; row < this.height; ++row)
            for (const x of this.row(row)) {
                if (x < least && x !== -Infinity) least = x;
                if (x > most && x !== Infinity) most = x;
                if (number++ % step === 0 && isFinite(x)) sample.push(Math.abs(x));
            }
        const sorted = Float64Array.from(sample).sort();
        const usual = sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0;
        return this.range = {least, most, usual, complex: this.phase !== null};
    }
}

class Tensor {
    constructor(said) {
        Object.assign(this, said);
        this.complex = Boolean(said.phase);
        this.phase = said.phase ? new Tensor({...said, phase: null, ...said.phase}) : null;
        this.exact = !said.format.startsWith("q");
        this.groups = new Map();
        this.decoded = new Map();
    }
    // The elements of some panels that are stored together.
    group(number) {
        if (this.groups.has(number)) return this.groups.get(number);
        const bytes = bytesOf(stored[this.first + number].data);
        const size = this.height * this.width;
        const count = Math.min(this.together, this.panels - number * this.together);
        const kinds = {
            u8: Uint8Array,
            i16: Int16Array,
            i32: Int32Array,
            f32: Float32Array,
            f64: Float64Array
        };
        const group = {};
        if (this.format === "i64") {
            group.whole = new BigInt64Array(bytes.buffer);
            group.values = Float64Array.from(group.whole, Number);
        } else if (this.exact) {
            group.values = new kinds[this.format](bytes.buffer);
        } else {
            this.readSteps(group, bytes, size * count);
        }
        this.groups.set(number, group);
        return group;
    }
    readSteps(group, bytes, size) {
        const groups = size / (this.steppedRows * this.width);
        group.steps = new Float64Array(bytes.buffer, 0, 2 * groups);
        group.codes =
            new (this.format === "q16" ? Uint16Array : Uint8Array)(bytes.buffer, 16 * groups, size);
    }
    panel(number) {
        if (this.decoded.has(number)) return this.decoded.get(number);
        const group = this.group(Math.floor(number / this.together)),
              inGroup = number % this.together;
        const size = this.height * this.width, from = inGroup * size;
        const panel = new Panel(this.height, this.width, group.values?.subarray(from, from + size));
        if (group.whole) panel.whole = group.whole.subarray(from, from + size);
        if (group.codes) {
            panel.codes = group.codes.subarray(from, from + size);
            panel.steps = group.steps;
            panel.last = page.steps[this.format];
            panel.steppedRows = this.steppedRows;
            panel.firstGroup = inGroup * this.height / this.steppedRows;
        }
        if (this.phase) panel.phase = this.phase.panel(number);
        this.decoded.set(number, panel);
        return panel;
    }
    // The text of one element, of all panels counted in their order.
    textAt(place) {
        const size = this.height * this.width, inPanel = place % size;
        return this.text(
            Math.floor(place / size), Math.floor(inPanel / this.width), inPanel % this.width);
    }
    text(number, row, column) {
        if (this.phase)
            return complexText(
                this.panel(number).at(row, column), this.ownText(number, row, column),
                this.phase.panel(number).at(row, column), this.phase.ownText(number, row, column));
        return this.ownText(number, row, column);
    }
    ownText(number, row, column) {
        const panel = this.panel(number);
        if (panel.whole) return String(panel.whole[row * this.width + column]);
        const value = panel.at(row, column);
        if (this.type === "boolean") return value ? "true" : "false";
        if (!isFinite(value)) return textOfSpecial(value);
        if (this.exact) return this.format === "f32" ? textOfSingle(value) : textOfNumber(value);
        return textWithError(value, panel.error(row));
    }
    valueAt(place) {
        const size = this.height * this.width, inPanel = place % size;
        return this.panel(Math.floor(place / size))
            .at(Math.floor(inPanel / this.width), inPanel % this.width);
    }
    // In a few characters.
    shortAt(place) {
        const value = this.valueAt(place);
        return this.phase ? shortComplex(value, this.phase.valueAt(place)) : shortText(value);
    }
    precision() {
        if (this.exact)
            return this.complex ? "moduli and phases of complex numbers" : "values are exact";
        const rows = this.steppedRows === 1 ? "of their row" : "of their panel";
        return (this.complex ? "moduli and phases of complex numbers" : "values") +
            " to the nearest of " + (page.steps[this.format] + 1) + " steps over the range " + rows;
    }
}
