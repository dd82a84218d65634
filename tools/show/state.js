// What is shown: which tensor, which panels, which part of them, and which cell is chosen.

const views =
    page.views.map((view) => ({
                       ...view,
                       tensor: new Tensor(view.tensor),
                       trace: view.trace.map(
                           (one) => ({...one, tensor: one.tensor ? new Tensor(one.tensor) : null})),
                   }));

const panelsInGroup = 24;
const leastCells = 4;  // in a window that cannot be zoomed further
const leadingOf = (view) => view.tensor.extents.slice(0, -2);
const panelsAlong = (view) => leadingOf(view).at(-1) ?? 1;

const state = {
    mode: page.compare ? "compare" : "all",
    view: 0,
    lead: leadingOf(views[0]).slice(0, -1).map(() => 0),
    panel: 0,
    group: 0,                    // the panels that are on the screen, where there are many
    other: {view: 0, panel: 0},  // on the right, in comparison
    side: "left",                // which one is chosen there
    cell: {row: 0, column: 0},
    window: null,
    scale: "all",
    full: 0,  // the part of the range at which colours are full; 0: that most values need
};
if (views.length > 1) state.other.view = 1;
else if (panelsAlong(views[0]) > 1) state.other.panel = 1;
const manyPanels = views.some((view) => panelsAlong(view) > 1);
if (state.mode === "all" && !manyPanels) state.mode = "one";

const canCompare = () => views.length > 1 || panelsAlong(views[0]) > 1;

// The place of a panel among all panels of a tensor.
function panelNumber(view, panel) {
    const leading = leadingOf(view);
    let number = 0;
    leading.slice(0, -1).forEach((extent, axis) => {
        number = number * extent + Math.min(state.lead[axis] ?? 0, extent - 1);
    });
    return number * panelsAlong(view) + panel;
}

// After another tensor was chosen, all places have to exist in it.
function keepInside() {
    const view = views[state.view], {tensor} = view;
    const inside = (x, extent) => Math.max(0, Math.min(x, extent - 1));
    state.lead =
        leadingOf(view).slice(0, -1).map((extent, axis) => inside(state.lead[axis] ?? 0, extent));
    state.panel = inside(state.panel, panelsAlong(view));
    state.other.panel = inside(state.other.panel, panelsAlong(views[state.other.view]));
    state.group = inside(state.group, Math.ceil(panelsAlong(view) / panelsInGroup));
    state.cell = {
        row: inside(state.cell.row, tensor.height),
        column: inside(state.cell.column, tensor.width)
    };
    const {window} = state, {height, width} = tensor;
    if (!window || window.height !== height || window.width !== width)
        state.window = {top: 0, bottom: height, left: 0, right: width, height, width};
}

// One side of the window, moved or resized within the extent.
function fitted(first, size, extent) {
    const length = Math.max(Math.min(leastCells, extent), Math.min(size, extent));
    const begin = Math.max(0, Math.min(first, extent - length));
    return [begin, begin + length];
}
function setWindow(top, rows, left, columns) {
    const {window} = state;
    [window.top, window.bottom] = fitted(top, rows, window.height);
    [window.left, window.right] = fitted(left, columns, window.width);
    hideTip();  // another cell is below the pointer now
    later(redraw);
}
function moveWindow(from, rows, columns) {
    setWindow(from.top + rows, from.bottom - from.top, from.left + columns, from.right - from.left);
}
// The place {row, column} stays where it is on the screen.
function zoom(factor, row, column) {
    const {top, bottom, left, right} = state.window;
    const length = (size, extent) =>
        Math.max(Math.min(leastCells, extent), Math.min(size / factor, extent));
    const rows = length(bottom - top, state.window.height),
          columns = length(right - left, state.window.width);
    setWindow(
        row - (row - top) * rows / (bottom - top), rows,
        column - (column - left) * columns / (right - left), columns);
}
function zoomAtCell(factor) { zoom(factor, state.cell.row + 0.5, state.cell.column + 0.5); }
function showAll() { setWindow(0, Infinity, 0, Infinity); }
function showCell() {
    const {window, cell} = state;
    let {top, left} = window;
    const rows = window.bottom - top, columns = window.right - left;
    top = Math.max(Math.min(top, cell.row), cell.row + 1 - rows);
    left = Math.max(Math.min(left, cell.column), cell.column + 1 - columns);
    if (top !== window.top || left !== window.left) setWindow(top, rows, left, columns);
}
function chooseCell(row, column) {
    const {tensor} = views[state.view];
    state.cell = {
        row: Math.max(0, Math.min(tensor.height - 1, row)),
        column: Math.max(0, Math.min(tensor.width - 1, column)),
    };
    showCell();
    hideTip();
    later(recompose);
}

// Whether a key means something in a panel, after it was done.
function keyInPanel(event, source) {
    const step = event.shiftKey ? 10 : 1, {row, column} = state.cell, {window} = state;
    const rows = Math.max(1, Math.floor(window.bottom - window.top));
    const moves = {
        ArrowLeft: [row, column - step],
        ArrowRight: [row, column + step],
        ArrowUp: [row - step, column],
        ArrowDown: [row + step, column],
        Home: [row, 0],
        End: [row, Infinity],
        PageUp: [row - rows, column],
        PageDown: [row + rows, column],
    };
    if (moves[event.key]) source.choose(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") zoomAtCell(1.5);
    else if (event.key === "-" || event.key === "_") zoomAtCell(1 / 1.5);
    else if (event.key === "0" || event.key === "Escape") showAll();
    else return false;
    return true;
}

// Work that is asked for several times before the next frame is done once.
const waiting = new Set();
function later(work) {
    if (waiting.size === 0)
        requestAnimationFrame(() => {
            const all = [...waiting];
            waiting.clear();
            for (const one of all)
                if (one !== recompose || !all.includes(redraw)) one();
        });
    waiting.add(work);
}
