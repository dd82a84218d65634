// Puts the page together, and again when something else is chosen.

let maps = [];

function captionWords(view, panel) {
    const leading = leadingOf(view);
    return leading
        .map(
            (extent, axis) =>
                axisWords(view, axis, axis === leading.length - 1 ? panel : state.lead[axis] ?? 0))
        .join(", ");
}
function fullWords(view, panel) {
    const words = captionWords(view, panel);
    return views.length > 1 ? view.label + (words ? ", " + words : "") : words || view.name;
}

// The range of the colours of a panel: its own, or that of all panels of its tensor.
function scaleOfPanel(view, panel) {
    if (state.scale === "each" && state.mode === "all")
        return scaleOf(view.tensor.panel(panelNumber(view, panel)).finiteRange(), state.full);
    return scaleOf(view.tensor, state.full);
}

function compared() {
    return [["left", state], ["right", state.other]].map(
        ([side, {view, panel}]) => ({
            side,
            view: views[view],
            place: panel,
            panel: views[view].tensor.panel(panelNumber(views[view], panel)),
            number: panelNumber(views[view], panel),
            words: fullWords(views[view], panel),
        }));
}
const sameSize = (left, right) =>
    left.panel.height === right.panel.height && left.panel.width === right.panel.width;

// What an axis is called beside a panel, and what its places are.
function labelsOf(view, fromEnd) {
    const labels = fromEnd === 2 ? page.rows : page.columns, axis = axisOf(view, fromEnd),
          offset = view.offsets[axis] ?? 0, letter = view.letters[axis] || "";
    const name = axis < 0 ? "" : letter || (fromEnd === 2 ? "row" : "column");
    const named = {name, slanted: letter !== ""};
    if (labels.length > 0) return {...named, text: (k) => labels[k] ?? ""};
    return {...named, text: (k) => axis < 0 ? "" : String(k + offset)};
}
function cellWords(view, row, column) {
    const words = [];
    if (axisOf(view, 2) >= 0) words.push(axisWords(view, axisOf(view, 2), row));
    if (axisOf(view, 1) >= 0) words.push(axisWords(view, axisOf(view, 1), column));
    return words.join(", ");
}

// What a heat map needs to know of a panel of a tensor.
function sourceOf(view, place, scale, side) {
    const number = panelNumber(view, place),
          words = side ? fullWords(view, place) : captionWords(view, place);
    const mine = () => side ? state.side === side : state.panel === place;
    const choose = () => side ? state.side = side : state.panel = place;
    const caption = words ? [words] : symbolNodes(view);
    if (state.scale === "each" && state.mode === "all")
        caption.push(element(
            "span", {class: "small"}, `  ${shortText(scale.least)} to ${shortText(scale.most)}`));
    return {
        panel: view.tensor.panel(number),
        scale,
        caption,
        rows: labelsOf(view, 2),
        columns: labelsOf(view, 1),
        describe:
            (row, column) => [words, cellWords(view, row, column)].filter(Boolean).join(", ") +
            ": " + view.tensor.text(number, row, column),
        chosen: mine,
        focused: () => {
            choose();
            later(recompose);
        },
        choose: (row, column) => {
            choose();
            chooseCell(row, column);
        },
    };
}

function realDifference(a, b) {
    const values = new Float64Array(a.height * a.width);
    for (let row = 0; row < a.height; ++row) {
        const from = a.row(row), upTo = b.row(row), to = row * a.width;
        for (let k = 0; k < a.width; ++k) values[to + k] = upTo[k] - from[k];
    }
    return new Panel(a.height, a.width, values);
}
function differenceOf(left, right) {
    const a = left.panel, b = right.panel;
    const panel = a.phase || b.phase ? complexDifference(a, b) : realDifference(a, b);
    const text = (row, column) => {
        if (panel.phase) return shortComplex(panel.at(row, column), panel.phase.at(row, column));
        const value = b.at(row, column) - a.at(row, column), error = a.error(row) + b.error(row);
        return error > 0 && isFinite(value) ? textWithError(value, error) :
                                              textOfNumber(Number(value.toPrecision(9)));
    };
    return {
        panel,
        scale: scaleOf(panel.finiteRange(), state.full, true),
        caption: ["difference, right \u2212 left"],
        rows: labelsOf(left.view, 2),
        columns: labelsOf(left.view, 1),
        describe: (row, column) =>
            "difference, " + cellWords(left.view, row, column) + ": " + text(row, column),
        chosen: () => state.side === "difference",
        focused: () => {
            state.side = "difference";
            later(recompose);
        },
        choose: (row, column) => {
            state.side = "difference";
            chooseCell(row, column);
        },
    };
}

function sourcesOfComparison() {
    const [left, right] = compared();
    const range = {
        least: Math.min(left.view.tensor.least ?? Infinity, right.view.tensor.least ?? Infinity),
        most: Math.max(left.view.tensor.most ?? -Infinity, right.view.tensor.most ?? -Infinity),
        usual: Math.max(left.view.tensor.usual ?? 0, right.view.tensor.usual ?? 0),
        complex: left.view.tensor.complex || right.view.tensor.complex,
    };
    const scale = scaleOf(range, state.full);
    const sources = [left, right].map((side) => sourceOf(side.view, side.place, scale, side.side));
    if (sameSize(left, right)) sources.push(differenceOf(left, right));
    return sources;
}

function shownPanels(view) {
    if (state.mode === "one") return [state.panel];
    const all = Array.from({length: panelsAlong(view)}, (_, k) => k);
    // paper has room for all
    return printing.now ? all :
                          all.slice(state.group * panelsInGroup, (state.group + 1) * panelsInGroup);
}

function rebuildPanels() {
    keepInside();
    const host = document.getElementById("panels"), view = views[state.view];
    const focused = maps.findIndex((map) => map.canvas === document.activeElement);
    host.replaceChildren();
    const sources = state.mode === "compare" ?
        sourcesOfComparison() :
        shownPanels(view).map((place) => sourceOf(view, place, scaleOfPanel(view, place)));
    maps = sources.map((source) => new Heatmap(host, source));
    if (state.mode === "compare" && sources.length < 3)
        host.append(element(
            "p", {class: "equal"}, "There is no difference of panels of different extents."));
    const tensors = state.mode === "compare" ?
        [...new Set(compared().map((side) => side.view.tensor))] :
        [view.tensor];
    if (state.mode === "all" && state.scale === "each") drawLegend([], tensors);
    else
        drawLegend(
            sources.length > 2 && state.mode === "compare" ?
                [[sources[0].scale, "both"], [sources[2].scale, "difference"]] :
                [[sources[0].scale, ""]],
            tensors);
    redraw();
    if (focused >= 0) maps[Math.min(focused, maps.length - 1)].canvas.focus();
}

// As many beside each other as makes them largest.
function roomOfPanels() {
    const width = printing.now ? 680 : document.getElementById("panels").clientWidth;
    const height = printing.now ? 420 : Math.max(260, Math.min(innerHeight, 1000) * 0.72);
    const count = state.mode === "compare" ? 3 : maps.length;
    const {panel} = maps[0].source, least = state.mode === "compare" ? 250 : 230;
    let best = {width, height: Math.min(height, width * 1.2)};
    let largest = 0;
    for (let beside = 1; beside <= Math.min(count, 6); ++beside) {
        const each = Math.floor((width - 23 * (beside - 1)) / beside);
        if (beside > 1 && each < least) break;
        const below = Math.ceil(count / beside), high = Math.max(240, height / Math.min(below, 2));
        const cell = Math.min((each - 60) / panel.width, (high - 60) / panel.height, 52);
        // at the same size those that take fewer lines
        if (cell <= largest * (beside > 1 ? 0.72 : 1)) continue;
        largest = Math.max(cell, largest);
        best = {width: each, height: high};
    }
    return best;
}

function redraw() {
    const room = roomOfPanels();
    for (const map of maps) map.draw(room, {...state.window});
    recompose();
}
function recompose() {
    for (const map of maps) map.compose();
    const chosen = maps.find((map) => map.source.chosen()) ?? maps[0];
    document.getElementById("value").textContent =
        chosen.source.describe(state.cell.row, state.cell.column);
    syncControls();
    drawTrace(maps);
}

// Extents, range and precision of one tensor; what is no finite number is counted.
function aboutWords(view) {
    const {tensor} = view;
    const extents =
        tensor.extents.map((x) => x.toLocaleString("en")).join(" \u00d7 ") || "a number";
    const range = tensor.least !== undefined ?
        (tensor.complex ? "modulus " : "") + shortText(tensor.least) + " to " +
            shortText(tensor.most) :
        "no finite number";
    const special = specialCounts([tensor]).map(({count, words}) => countedSpecial(count, words));
    return [tensor.type + ", " + extents, [range, ...special].join(", "), tensor.precision()].join(
               "; ") +
        ".";
}

function drawHeader() {
    const view = views[state.view];
    const title = view.symbol ? symbolNodes(view) : [page.title];
    document.getElementById("title").replaceChildren(...title);
    document.getElementById("equation").replaceChildren(...formulaNodes(view.formula));
    const words = views.map(
        (one) => views.length > 1 ? one.label + ": " + aboutWords(one) : aboutWords(one));
    document.getElementById("about").replaceChildren(
        ...words.map((one) => element("p", {}, one)));
    document.getElementById("notes").textContent = page.notes.join(" ");
}

function rebuild() {
    keepInside();
    drawHeader();
    drawControls();
    rebuildPanels();
}

const tip = document.getElementById("tip");
// It says what is below the pointer, which keys and zooming change without a move of it.
function hideTip() { tip.hidden = true; }
function showTip(event, words) {
    tip.hidden = !words;
    if (!words) return;
    tip.textContent = words;
    tip.style.left =
        Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6)) + "px";
    const fits = event.clientY + 18 + tip.offsetHeight <= innerHeight;
    tip.style.top = (fits ? event.clientY + 18 : event.clientY - tip.offsetHeight - 8) + "px";
}

function print(now) {
    if (printing.now === now) return;
    printing.now = now;
    rebuildPanels();
}
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
matchMedia("print").addEventListener("change", (event) => print(event.matches));
darkScreen.addEventListener("change", rebuild);
addEventListener("resize", () => later(redraw));
document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());

rebuild();
// milliseconds since the page was asked for, when all of it is on the screen
requestAnimationFrame(
    () => setTimeout(() => document.documentElement.dataset.drawn = performance.now().toFixed(1)));
