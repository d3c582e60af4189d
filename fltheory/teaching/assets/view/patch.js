// SVG as plain lists [tag, attributes, content], where content is a text or a list of such lists; and elements that follow a new list by
// changing only what differs, because making fifty elements anew takes longer than all the numbers do.

const SPACE = "http://www.w3.org/2000/svg";
const NOTHING = [];

function made(tag) {
  return { tag, element: document.createElementNS(SPACE, tag), attributes: {}, text: null, children: [] };
}

function follow(node, [, attributes, content = NOTHING]) {
  const { element, attributes: before } = node;
  for (const name in before) if (before[name] !== null && (attributes[name] ?? null) === null) element.removeAttribute(name);
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== null && value !== before[name]) element.setAttribute(name, value);
  }
  node.attributes = attributes;
  if (typeof content === "string") {
    if (node.text !== content) element.textContent = content;
    node.text = content;
  } else followAll(node, content);
}

// The children of a node become those of the list: kept where the tag is the same.
function followAll(node, list) {
  list.forEach((spec, k) => {
    let child = node.children[k];
    if (child?.tag !== spec[0]) {
      const fresh = made(spec[0]);
      if (child) child.element.replaceWith(fresh.element);
      else node.element.append(fresh.element);
      node.children[k] = fresh;
      child = fresh;
    }
    follow(child, spec);
    if (spec[3]) spec[3].element = child.element;
  });
  while (node.children.length > list.length) node.children.pop().element.remove();
}

// A place that shows what it was last given; a spec's fourth entry, if there is one, is handed its element.
export function place(element) {
  const root = { element, children: [] };
  return (list) => followAll(root, list);
}
