// What is chosen with lists, sliders and buttons: elements of the browser's own, so that keys and
// readers know them.

function labelled(words, control) { return element("label", {}, words, control); }
function list(id, options, chosen, change) {
    const made =
        element("select", {id}, ...options.map((words, k) => element("option", {value: k}, words)));
    made.value = String(chosen);
    made.addEventListener("change", () => change(Number(made.value)));
    return made;
}
function place(id, extent, offset, chosen, change) {
    const made = element(
        "input",
        {id, type: "number", min: offset, max: offset + extent - 1, value: offset + chosen});
    made.addEventListener("change", () => {
        const wanted = Number(made.value) - offset;
        change(Math.max(0, Math.min(extent - 1, Number.isFinite(wanted) ? Math.round(wanted) : 0)));
    });
    return made;
}
function slider(id, extent, offset, chosen, change) {
    const made = element("input", {id, type: "range", min: 0, max: extent - 1, value: chosen});
    const output = element("output", {for: id
    }, String(offset + chosen));
    made.addEventListener("input", () => {
        output.textContent = String(offset + Number(made.value));
        change(Number(made.value));
    });
    return [made, output];
}
function buttons(words, choices, chosen, change) {
    const all = choices.map(([value, text]) => {
        const button = element(
            "button", {type: "button", id: "mode-" + value, "aria-pressed": value === chosen},
            text);
        button.addEventListener("click", () => change(value));
        return button;
    });
    return element("fieldset", {}, element("legend", {}, words), ...all);
}

function axisTitle(view, axis) {
    return view.letters[axis] ?? (axisOf(view, axis) === 3 ? "Panel" : "Axis " + axis);
}
// A list of panels where it is short, or else a number.
function panelChoice(id, view, chosen, change) {
    const count = panelsAlong(view), offset = view.offsets[axisOf(view, 3)] ?? 0;
    if (count > 400) return place(id, count, offset, chosen, change);
    return list(id, Array.from({length: count}, (_, k) => captionWords(view, k)), chosen, change);
}

function sideControls(words, id, side, set) {
    const parts = [element("legend", {}, words)], view = views[side.view],
          names = views.map((one) => one.label);
    if (views.length > 1) parts.push(list(id + "-view", names, side.view, (k) => set({view: k})));
    if (panelsAlong(view) > 1)
        parts.push(panelChoice(id + "-panel", view, side.panel, (k) => set({panel: k})));
    return element("fieldset", {}, ...parts);
}

function change(values) {
    Object.assign(state, values);
    rebuild();
}
// Which panels: of one tensor, or of two that are compared.
function panelControls(view) {
    const modes = [], parts = [], count = panelsAlong(view);
    if (manyPanels) modes.push(["all", "All panels"]);
    modes.push(["one", "One panel"]);
    if (canCompare()) modes.push(["compare", "Two and their difference"]);
    if (modes.length > 1) parts.push(buttons("Show", modes, state.mode, (mode) => change({mode})));
    if (state.mode === "compare") {
        parts.push(sideControls("Left", "left", state, (value) => change(value)));
        const set = (value) => change({other: {...state.other, ...value}});
        parts.push(sideControls("Right", "right", state.other, set));
        return parts;
    }
    if (views.length > 1) {
        const names = views.map((one) => one.label), runs = views[0].equation !== "";
        parts.push(labelled(
            runs ? "Run" : "Tensor", list("view", names, state.view, (k) => change({view: k}))));
    }
    if (state.mode === "one" && count > 1) {
        const choice = panelChoice("panel", view, state.panel, (panel) => change({panel}));
        parts.push(labelled(axisTitle(view, axisOf(view, 3)), choice));
    }
    if (state.mode === "all" && count > panelsInGroup) {
        const groups = Array.from(
            {length: Math.ceil(count / panelsInGroup)},
            (_, k) => `${k * panelsInGroup} to ${Math.min(count, (k + 1) * panelsInGroup) - 1}`);
        const set = (group) => change({group, panel: group * panelsInGroup});
        parts.push(labelled("Panels", list("group", groups, state.group, set)));
    }
    return parts;
}
// Sliders of the axes that have no panels.
function leadControls(view) {
    const parts = [];
    leadingOf(view).slice(0, -1).forEach((extent, axis) => {
        if (extent < 2) return;
        const set = (k) => {
            state.lead[axis] = k;
            later(rebuildPanels);
        };
        const control =
            slider("lead-" + axis, extent, view.offsets[axis] ?? 0, state.lead[axis], set);
        parts.push(labelled(axisTitle(view, axis), element("span", {}, ...control)));
    });
    return parts;
}
const fractions = [0, 1, 0.5, 0.1, 0.01, 0.001];
function colourControls() {
    const parts = [], shares = ["one scale for all", "each panel its own"];
    const set = (k) => change({scale: k === 0 ? "all" : "each"});
    if (state.mode === "all" && manyPanels)
        parts.push(labelled("Colours", list("scale", shares, state.scale === "all" ? 0 : 1, set)));
    const words = ["what most need", "the largest", "1/2 of it", "1/10", "1/100", "1/1000"];
    const full =
        list("full", words, fractions.indexOf(state.full), (k) => change({full: fractions[k]}));
    return [...parts, labelled("Full at", full)];
}
function cellControls(view) {
    const parts = [], {tensor} = view, rowAxis = axisOf(view, 2), columnAxis = axisOf(view, 1);
    const add = (id, words, axis, extent, chosen, change) => {
        if (extent > 1)
            parts.push(labelled(
                view.letters[axis] ?? words,
                place(id, extent, view.offsets[axis] ?? 0, chosen, change)));
    };
    add("row", "Row", rowAxis, tensor.height, state.cell.row,
        (row) => chooseCell(row, state.cell.column));
    add("column", "Column", columnAxis, tensor.width, state.cell.column,
        (column) => chooseCell(state.cell.row, column));
    return parts;
}
function zoomControls() {
    const choices = [
        ["\u2212", "Zoom out", "out", () => zoomAtCell(1 / 1.5)],
        ["+", "Zoom in", "in", () => zoomAtCell(1.5)],
        ["All", "Show all", "all", showAll],
    ];
    return element(
        "fieldset", {}, element("legend", {}, "Zoom"), ...choices.map(([text, title, id, work]) => {
            const button =
                element("button", {type: "button", "aria-label": title, id: "zoom-" + id}, text);
            button.addEventListener("click", work);
            return button;
        }));
}

function drawControls() {
    const view = views[state.view], focused = document.activeElement?.id;
    document.getElementById("controls")
        .replaceChildren(
            ...panelControls(view), ...leadControls(view), ...colourControls(),
            ...cellControls(view), zoomControls());
    if (focused) document.getElementById(focused)?.focus();
}

// The numbers of the chosen cell beside its sliders.
function syncControls() {
    const view = views[state.view];
    for (const [id, fromEnd, value] of [
             ["row", 2, state.cell.row], ["column", 1, state.cell.column]]) {
        const control = document.getElementById(id);
        if (control) control.value = value + (view.offsets[axisOf(view, fromEnd)] ?? 0);
    }
}

function barOf(scale) {
    const canvas = element("canvas", {
        width: 180,
        height: 12,
        role: "img",
        "aria-label":
            "scale of colours from " + shortText(scale.least) + " to " + shortText(scale.most)
    });
    const image = new ImageData(180, 12), pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < pixels.length; ++k) pixels[k] = scale.ramp[Math.round(k % 180 / 179 * 255)];
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
}
function scaleLegend(scale, words) {
    const middle = (scale.least + scale.most) / 2;
    const bar = element("span", {class: "bar"}, barOf(scale));
    const texts = [shortText(scale.least), shortText(scale.most)];
    if (scale.clipped) texts[1] += " and more";
    if (scale.clipped && scale.signed) texts[0] += " and less";
    const heading = words ? [element("b", {}, words)] : [];
    return element(
        "span", {class: "scale"}, ...heading, element("span", {}, texts[0]), bar,
        element("span", {}, texts[1]),
        element("span", {class: "small"}, "(middle " + shortText(middle) + ")"));
}
// What is no finite number in some tensors, by kind: how many, in words, and in what colour.
function specialCounts(tensors) {
    const special = specialColours[isDark() ? "dark" : "light"];
    const complex = tensors.some((tensor) => tensor.complex);
    const kinds = [["NaN", special.nan, ["nan"]]];
    if (complex) kinds.push(["\u221e", special.infinite, ["above", "below"]]);
    else
        kinds.push(
            ["+\u221e", special.above, ["above"]], ["\u2212\u221e", special.below, ["below"]]);
    return kinds
        .map(([words, colour, keys]) => ({
                 words,
                 colour,
                 count: tensors.reduce(
                     (sum, tensor) => sum + keys.reduce((all, key) => all + tensor[key], 0), 0),
             }))
        .filter(({count}) => count > 0);
}
const countedSpecial = (count, words) => count.toLocaleString("en") + " " + words;

function drawLegend(scales, tensors) {
    const parts = scales.map(
        ([scale, words]) =>
            scale.complex ? wheelLegend(scale, words) : scaleLegend(scale, words));
    for (const {words, colour, count} of specialCounts(tensors))
        parts.push(element("span", {}, swatch(colour), countedSpecial(count, words)));
    document.getElementById("legend").replaceChildren(...parts);
}
