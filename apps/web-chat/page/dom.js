/** Makes an element with properties and children; texts become text nodes, so that nothing a model writes is markup. */
export function element(name, properties = {}, ...children) {
  const { data = {}, ...rest } = properties
  const made = Object.assign(document.createElement(name), rest)
  Object.assign(made.dataset, data)
  made.append(...children)
  return made
}

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id)

/** Sets a text, if it is another one: what is set anew is read out anew. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Shows a line about the state of the page; an empty one hides it. */
export const say = (line) => setText(byId('status'), line)
