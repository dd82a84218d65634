// One panel on the screen: its picture, labels beside it, the chosen cell, and what pointer and
// keys do there.

const titleFont = 'italic 13px "STIX Two Text", Cambria, "DejaVu Serif", serif';
const labelFont = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';

function clipped(context, text, most) {
    if (context.measureText(text).width <= most) return text;
    const letters = Array.from(text);
    while (letters.length > 1 && context.measureText(letters.join("") + "\u2026").width > most)
        letters.pop();
    return letters.join("") + "\u2026";
}

// Every cell has a label, or every second, fifth, tenth...
function labelStep(pixelsOfCell, least) {
    for (let step = 1;; step *= 10)
        for (const times of [1, 2, 5])
            if (pixelsOfCell * step * times >= least) return step * times;
}

class Heatmap {
    // `source`: {panel, scale, caption, rowLabel, columnLabel, describe, rows, columns}
    constructor(host, source) {
        this.source = source;
        this.figure = document.createElement("figure");
        const caption = document.createElement("figcaption");
        caption.append(...source.caption);
        this.canvas = document.createElement("canvas");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute(
            "aria-label",
            caption.textContent + ": heat map of " + this.countedAxis("rows", source.panel.height) +
                " and " + this.countedAxis("columns", source.panel.width) +
                "; arrow keys choose a cell");
        this.figure.append(caption, this.canvas);
        host.append(this.figure);
        this.listen();
    }
    // 5 rows i, 7 columns; what they are called where that is not said by the word.
    countedAxis(axis, extent) {
        const {name, slanted} = this.source[axis];
        return counted(extent, axis.slice(0, -1)) + (slanted ? " " + name : "");
    }
    // `room`: {width, height} in CSS pixels, labels included.
    draw(room, window) {
        this.room = room;
        this.window = window;
        const context = this.canvas.getContext("2d");
        context.font = labelFont;
        const {panel} = this.source, rows = window.bottom - window.top,
              columns = window.right - window.left;
        // the names of the axes, on the left and above
        const {rows: {name: rowName}, columns: {name: columnName}} = this.source;
        this.titles = {left: rowName ? 17 : 0, top: columnName ? 16 : 0};
        const left = this.titles.left +
            this.labelRoom(context, "rows", window.top, window.bottom, room.height / rows, 120);
        const widths = this.labelRoom(
            context, "columns", window.left, window.right, (room.width - left) / columns, 90);
        const most = {width: room.width - left - 8, height: room.height - 22 - this.titles.top};
        const whole = {rows: panel.height, columns: panel.width};
        const cell = Math.min(most.width / whole.columns, most.height / whole.rows, 52);
        // a thin one is widened, so that one can point at it
        const length = (count, limit) =>
            Math.round(Math.min(limit, Math.max(cell * count, Math.min(90, count * 52))));
        const width = length(whole.columns, most.width), height = length(whole.rows, most.height);
        this.turned = widths > width / columns * labelStep(width / columns, 22);
        const top = this.titles.top + (this.turned ? Math.min(90, widths) + 4 : 16);
        this.area = {left, top, width, height};
        const ratio = printing.now ? 3 : Math.max(1, devicePixelRatio || 1);
        const size = {width: left + width + 8, height: top + height + 2};
        this.canvas.width = Math.round(size.width * ratio);
        this.canvas.height = Math.round(size.height * ratio);
        this.canvas.style.width = size.width + "px";
        this.canvas.style.aspectRatio = size.width + " / " + size.height;
        this.ratio = ratio;
        this.size = size;
        this.picture = picture(
            panel, window, Math.max(1, Math.round(width * ratio)),
            Math.max(1, Math.round(height * ratio)), this.source.scale);
        this.compose();
    }
    // What stands around the picture, without making it anew.
    compose() {
        const context = this.canvas.getContext("2d"), {left, top, width, height} = this.area,
              {ratio, window} = this;
        const style = getComputedStyle(document.documentElement);
        const paper = printing.now ? "#ffffff" : style.getPropertyValue("--paper");
        const ink = printing.now ? "#000000" : style.getPropertyValue("--ink");
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillStyle = paper;
        context.fillRect(0, 0, this.canvas.width, this.canvas.height);
        context.putImageData(this.picture, Math.round(left * ratio), Math.round(top * ratio));
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.strokeStyle = printing.now ? "#999999" : style.getPropertyValue("--line");
        context.lineWidth = 1;
        context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
        context.fillStyle = ink;
        context.font = labelFont;
        const cell = {
            width: width / (window.right - window.left),
            height: height / (window.bottom - window.top)
        };
        this.labels(context, cell);
        this.axisTitle(context, "columns", left + width / 2, this.titles.top / 2, width);
        this.axisTitle(context, "rows", this.titles.left / 2, top + height / 2, height);
        this.marker(context, cell, ink, paper);
        // for whoever looks at pixels
        this.canvas.dataset.titles = [this.titles.left, this.titles.top].join(" ");
        this.canvas.dataset.area = [left, top, width, height].join(" ");
        this.canvas.dataset.window =
            [window.top, window.bottom, window.left, window.right].join(" ");
    }
    labelRoom(context, axis, first, last, pixels, most) {
        let widest = 0;
        const step = labelStep(pixels, 14);
        const {text} = this.source[axis];
        for (let k = Math.ceil(Math.ceil(first) / step) * step, n = 0; k < last && n < 400;
             k += step, ++n)
            widest = Math.max(widest, context.measureText(text(k)).width);
        return Math.ceil(Math.min(most, widest)) + 12;
    }
    labels(context, cell) {
        const {left, top} = this.area, {window} = this;
        context.textBaseline = "middle";
        context.textAlign = "right";
        const rowStep = labelStep(cell.height, 13);
        for (let k = Math.ceil(Math.ceil(window.top) / rowStep) * rowStep; k < window.bottom;
             k += rowStep) {
            const y = top + (k + 0.5 - window.top) * cell.height;
            if (y < top || y > top + this.area.height) continue;
            context.fillText(
                clipped(context, this.source.rows.text(k), left - this.titles.left - 12), left - 9,
                y);
        }
        const step = labelStep(cell.width, this.turned ? 13 : 22);
        for (let k = Math.ceil(Math.ceil(window.left) / step) * step; k < window.right; k += step) {
            const x = left + (k + 0.5 - window.left) * cell.width;
            if (x < left || x > left + this.area.width) continue;
            context.save();
            context.translate(x, top - 5);
            if (this.turned) context.rotate(-Math.PI / 2);
            context.textAlign = this.turned ? "left" : "center";
            context.textBaseline = this.turned ? "middle" : "alphabetic";
            const most = this.turned ? top - this.titles.top - 8 : step * cell.width + 12;
            context.fillText(clipped(context, this.source.columns.text(k), most), 0, 0);
            context.restore();
        }
    }
    // Around its middle, along an axis so long; words beside rows are turned, and letters are not.
    axisTitle(context, axis, x, y, length) {
        const {name, slanted} = this.source[axis];
        if (!name) return;
        context.save();
        context.font = slanted ? titleFont : labelFont;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.translate(x, y);
        if (axis === "rows" && name.length > 2) context.rotate(-Math.PI / 2);
        context.fillText(clipped(context, name, Math.max(length, 40)), 0, 0);
        context.restore();
    }
    marker(context, cell, ink, paper) {
        const {left, top, width, height} = this.area, {window} = this, chosen = state.cell;
        const y = top + (chosen.row - window.top) * cell.height,
              x = left + (chosen.column - window.left) * cell.width;
        if (y + cell.height <= top || y >= top + height) return;
        context.save();
        context.fillStyle = ink;
        const middle = Math.min(top + height, Math.max(top, y + cell.height / 2));
        context.beginPath();
        context.moveTo(left - 1, middle);
        context.lineTo(left - 7, middle - 4);
        context.lineTo(left - 7, middle + 4);
        context.fill();
        if (this.source.chosen()) {
            context.beginPath();
            context.rect(left - 1, top - 1, width + 2, height + 2);
            context.clip();
            const w = Math.max(cell.width, 5), h = Math.max(cell.height, 5);
            const box = [x + (cell.width - w) / 2, y + (cell.height - h) / 2, w, h];
            context.lineWidth = 3;
            context.strokeStyle = paper;
            context.strokeRect(...box);
            context.lineWidth = 1.5;
            context.strokeStyle = ink;
            context.strokeRect(...box);
        }
        context.restore();
    }
    // The cell below a pointer, or none.
    cellAt(event) {
        const box = this.canvas.getBoundingClientRect(), {left, top, width, height} = this.area;
        const shrunk = box.width / this.size.width;
        const x = (event.clientX - box.left) / shrunk - left,
              y = (event.clientY - box.top) / shrunk - top;
        if (x < 0 || y < 0 || x >= width || y >= height) return null;
        const {window} = this;
        const row = window.top + y / height * (window.bottom - window.top);
        const column = window.left + x / width * (window.right - window.left);
        return {
            row: Math.floor(row),
            column: Math.floor(column),
            exactRow: row,
            exactColumn: column
        };
    }
    listen() {
        const {canvas} = this;
        let dragged = null;
        canvas.addEventListener("pointermove", (event) => {
            if (dragged) {
                const {width, height} = this.area, from = dragged.window;
                const cells = {
                    x: (event.clientX - dragged.x) / width * (from.right - from.left),
                    y: (event.clientY - dragged.y) / height * (from.bottom - from.top),
                };
                if (Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) > 4)
                    dragged.moved = true;
                if (dragged.moved) moveWindow(from, -cells.y, -cells.x);
                return;
            }
            const cell = this.cellAt(event);
            showTip(event, cell && this.source.describe(cell.row, cell.column));
        });
        canvas.addEventListener("pointerleave", (event) => showTip(event, null));
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            dragged = {x: event.clientX, y: event.clientY, window: {...this.window}, moved: false};
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointerup", (event) => {
            const cell = dragged && !dragged.moved && this.cellAt(event);
            dragged = null;
            if (cell) this.source.choose(cell.row, cell.column);
        });
        canvas.addEventListener("pointercancel", () => dragged = null);
        canvas.addEventListener("dblclick", () => showAll());
        canvas.addEventListener("wheel", (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            const cell = this.cellAt(event);
            if (cell) zoom(Math.exp(-event.deltaY / 300), cell.exactRow, cell.exactColumn);
        }, {passive: false});
        canvas.addEventListener("focus", () => this.source.focused());
        canvas.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (keyInPanel(event, this.source)) event.preventDefault();
        });
    }
}
