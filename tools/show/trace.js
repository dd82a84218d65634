// The chosen row in numbers: what it is made of, and what is made of it, as far as the program
// says.

const mostKeys = 48, mostInVector = 64;

function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

const swatch = (colour) => element("span", {class: "swatch", style: "background: " + colour});

// A formula that the page says in MathML; nothing of none.
function formulaNodes(formula) {
    const made = document.createElement("template");
    made.innerHTML = formula ?? "";
    return [...made.content.childNodes];
}
// A tensor with its letters, W_Q^{hca}; of a file its name.
const symbolNodes = (one) => one.symbol ? formulaNodes(one.symbol) : [one.name];

function axisWords(view, axis, place) {
    const fromEnd = view.tensor.extents.length - axis;
    const labels = fromEnd === 2 ? page.rows : fromEnd === 1 ? page.columns : [];
    const letter = view.letters[axis];
    const number = place + (view.offsets[axis] ?? 0);
    const stem =
        letter ? letter + " = " : ["", "column ", "row ", "panel "][fromEnd] ?? `axis ${axis}: `;
    const words = stem + number;
    return labels.length > 0 ? words + " \u201c" + labels[place] + "\u201d" : words;
}
const axisOf = (view, fromEnd) => view.tensor.extents.length - fromEnd;

// Places of the axes of a view: leading ones, panel and row.
function placesOf(view, panel) {
    const leading = axisOf(view, 3);
    return leading < 0 ? [state.cell.row] :
                         [...state.lead.slice(0, leading), panel, state.cell.row];
}

// Where the elements of a traced tensor lie for one row: one for each column, or those of a vector.
function placesOfTraced(traced, places, columnAxis) {
    let base = 0;
    const free = [];
    let column = null;
    for (const factor of traced.factors) {
        if (factor.role === columnAxis) column = factor;
        else if (factor.role >= 0) base += places[factor.role] * factor.stride;
        else free.push(factor);
    }
    return {base, column, free};
}

function vectorLine(traced, places, columnAxis) {
    const {base, free} = placesOfTraced(traced, places, columnAxis);
    const count = free.reduce((product, factor) => product * factor.extent, 1);
    const texts = [];
    for (let k = 0; k < Math.min(count, mostInVector); ++k) {
        let rest = k, place = base;
        for (const factor of [...free].reverse()) {
            place += rest % factor.extent * factor.stride;
            rest = Math.floor(rest / factor.extent);
        }
        texts.push(traced.tensor.shortAt(place));
    }
    if (count > mostInVector) texts.push("\u2026 (" + counted(count, "number") + ")");
    return element(
        "p", {class: "vector"}, ...symbolNodes(traced),
        " = [" + texts.join("  ") + "]");
}

// How large a value of the chosen row is; what is no number is first to be listed.
function sizeAt(panel, column) {
    const value = panel.at(state.cell.row, column);
    return isFinite(value) ? Math.abs(value) : Number.isNaN(value) ? Infinity : value;
}
// The columns that are listed: all, or those where the row is largest.
function keysOf(panel) {
    const all = Array.from({length: panel.width}, (_, column) => column);
    if (panel.width <= mostKeys) return all;
    const largest = all.map((column) => [sizeAt(panel, column), column])
                        .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const listed = largest.slice(0, mostKeys).map(([, column]) => column);
    // the chosen one in any case
    if (!listed.includes(state.cell.column)) listed.push(state.cell.column);
    return listed.sort((a, b) => a - b);
}

// 0 to 3, 5, 9 to 120.
function rangesOf(columns, offset) {
    const ranges = [];
    for (const column of columns) {
        const last = ranges.at(-1);
        if (last && last[1] === column - 1) last[1] = column;
        else ranges.push([column, column]);
    }
    return ranges
        .map(([first, end]) => first + offset + (end > first ? " to " + (end + offset) : ""))
        .join(", ");
}
// Which columns of a panel a table leaves out, and how large they are; nothing where there is none.
function leftOut(panel, keys, view) {
    const listed = new Set(keys);
    const others = Array.from({length: panel.width}, (_, column) => column)
                       .filter((column) => !listed.has(column));
    if (others.length === 0) return [];
    const most = others.reduce((all, column) => Math.max(all, sizeAt(panel, column)), 0);
    const size = isFinite(most) && !panel.phase ? ", none of them larger than " + shortText(most) :
                                                  "";
    const places = rangesOf(others, view.offsets[axisOf(view, 1)] ?? 0);
    return [element(
        "p", {class: "small"},
        `The ${mostKeys} of ${counted(panel.width, "column")} that are largest, and the chosen ` +
            `one. Left out${size}: ${places}.`)];
}

function tableOf(headings, keys, columns, view, scale) {
    const keyAxis = axisOf(view, 1);
    const head = element(
        "tr", {}, element("th", {scope: "col"}, view.letters[keyAxis] ?? "column"),
        ...headings.map((nodes) => element("th", {scope: "col"}, ...nodes)));
    const texts = columns.map(
        ({values, phases}) =>
            phases ? values.map((x, k) => shortComplex(x, phases[k])) : columnTexts(values));
    const rows = keys.map((key, k) => {
        const label = page.columns.length > 0 ? page.columns[key] :
                                                String(key + (view.offsets[keyAxis] ?? 0));
        const row = element("tr", key === state.cell.column ? {class: "chosen"} : {});
        row.append(element("th", {scope: "row"}, label));
        columns.forEach(({values, phases, coloured}, c) => {
            const cell = element("td");
            const phase = phases?.[k] ?? (values[k] < 0 ? Math.PI : 0);
            const colour = scale.complex ? complexColour(scale, Math.abs(values[k]), phase) :
                                           colourOf(scale, values[k]);
            if (coloured) cell.append(swatch(cssColour(colour)));
            cell.append(texts[c][k]);
            row.append(cell);
        });
        return row;
    });
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

// The chosen row of a panel, at the columns that are listed.
function columnOf(panel, keys) {
    const {row} = state.cell;
    return {
        values: keys.map((column) => panel.at(row, column)),
        phases: panel.phase && keys.map((column) => panel.phase.at(row, column)),
    };
}

// One panel's row.
function traceOfPanel(view, panelPlace, scale) {
    const number = panelNumber(view, panelPlace), panel = view.tensor.panel(number);
    const columnAxis = axisOf(view, 1), places = placesOf(view, panelPlace), keys = keysOf(panel);
    const own = {...columnOf(panel, keys), coloured: true};
    const before = [], after = [], headings = [], columns = [];
    const traced =
        view.trace.length > 0 ? view.trace : [{what: "self", name: view.name, factors: []}];
    for (const one of traced) {
        if (one.what === "row") before.push(vectorLine(one, places, columnAxis));
        if (one.what === "result") after.push(vectorLine(one, places, columnAxis));
        if (one.what === "self") {
            headings.push(symbolNodes(view));
            columns.push(own);
        }
        if (one.what !== "column") continue;
        const {base, column, free} = placesOfTraced(one, places, columnAxis);
        if (free.length > 0 || !column) continue;
        headings.push(symbolNodes(one));
        const valuesOf = (tensor) => keys.map((key) => tensor.valueAt(base + key * column.stride));
        const {phase} = one.tensor;
        columns.push({values: valuesOf(one.tensor), phases: phase && valuesOf(phase)});
    }
    const words = captionWords(view, panelPlace);
    const section = element(
        "section", {}, ...(words ? [element("h3", {}, words)] : []), ...before,
        tableOf(headings, keys, columns, view, scale), ...after);
    section.append(...leftOut(panel, keys, view));
    return section;
}

// Two panels and their difference, at the columns where this is largest.
function comparedRow(left, right, difference, scale) {
    const keys = keysOf(difference);
    const columns = [left.panel, right.panel, difference].map(
        (panel, k) => ({...columnOf(panel, keys), coloured: k < 2}));
    const headings = [[left.words], [right.words], ["difference"]];
    return element(
        "section", {}, tableOf(headings, keys, columns, left.view, scale),
        ...leftOut(difference, keys, left.view));
}

function drawTrace(maps) {
    const host = document.getElementById("trace"), view = views[state.view];
    const rowAxis = axisOf(view, 2);
    const heading =
        element("h2", {}, rowAxis < 0 ? "The values" : axisWords(view, rowAxis, state.cell.row));
    const heads = element("div", {class: "heads"});
    if (state.mode === "compare") {
        const [left, right] = compared();
        const difference = maps[2]?.source.panel;
        if (difference)
            heads.append(comparedRow(left, right, difference, maps[0].source.scale));
    } else {
        const count = panelsAlong(view), all = state.mode === "all" && count <= 4;
        for (let panel = 0; panel < count; ++panel)
            if (all || panel === state.panel)
                heads.append(traceOfPanel(view, panel, scaleOfPanel(view, panel)));
    }
    host.replaceChildren(heading, heads);
    const formulas = view.trace.filter((one) => one.formula).map((one) => one.formula);
    if (state.mode !== "compare" && formulas.length > 1)
        host.append(element(
            "div", {class: "formulas"},
            ...formulas.map((formula) => element("p", {}, ...formulaNodes(formula)))));
}
