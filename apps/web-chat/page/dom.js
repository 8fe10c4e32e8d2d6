/** Makes an element with properties and children. Texts become text nodes, so that output of a model is never markup. */
export function element(name, properties = {}, ...children) {
  const { data = {}, ...rest } = properties
  const made = Object.assign(document.createElement(name), rest)
  Object.assign(made.dataset, data)
  made.append(...children)
  return made
}

/** Returns the element with an id. */
export const byId = (id) => document.getElementById(id)

/** Sets a text if it differs, because screen readers read a text again whenever it is set. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Shows a line about the state of the page; an empty one hides it. */
export const say = (line) => setText(byId('status'), line)
