import { element } from './dom.js'
import { approvalForm } from './fields.js'
import { richText } from './rich-text.js'

/** The lines of a chat. A line that has not changed keeps its element, with the text that the person is typing into it. */
export class Items {
  #list
  #post
  #members = []
  /** The lines from the server. */
  #items = []
  /** Elements of texts that have grown since they were drawn, by line. */
  #grown = new Map()

  /** `post` posts to the chat. */
  constructor(list, post) {
    this.#list = list
    this.#post = post
  }

  /** Names of the speakers, in the order of their colours. */
  set members(members) {
    this.#members = members
  }

  /** True while an answer is being written. */
  get isLive() {
    return this.#items.at(-1)?.live === true
  }

  /** Truncates the list; lines that differ follow. */
  begin(count) {
    this.#items.length = Math.min(this.#items.length, count)
    while (this.#list.children.length > count) this.#list.lastElementChild.remove()
  }

  put(index, item) {
    if (JSON.stringify(this.#items[index]) === JSON.stringify(item)) return
    this.#items[index] = item
    this.#grown.delete(index)
    const made = this.#article(item)
    this.#keepPlace(() => {
      if (this.#list.children[index]) this.#list.children[index].replaceWith(made)
      else this.#list.append(made)
    })
  }

  addText(index, text) {
    const item = { ...this.#items[index], text: this.#items[index].text + text }
    this.#items[index] = item
    // A growing text is drawn some thirty times a second, and not for each delta.
    if (this.#grown.size === 0) setTimeout(() => this.#draw(), 30)
    this.#grown.set(index, this.#list.children[index].querySelector('.said'))
  }

  #draw() {
    this.#keepPlace(() => {
      for (const [index, said] of this.#grown) said.replaceChildren(...richText(this.#items[index]?.text ?? ''))
    })
    this.#grown.clear()
  }

  /** Changes the list, and keeps it scrolled to the end if it was there. */
  #keepPlace(change) {
    const { scrollTop, scrollHeight, clientHeight } = this.#list
    const atEnd = scrollHeight - scrollTop - clientHeight < 80
    change()
    if (atEnd) this.#list.scrollTop = this.#list.scrollHeight
  }

  #article(item) {
    const article = element('article', { className: item.kind })
    // Screen readers read an answer when it is complete.
    if (item.live) article.ariaBusy = 'true'
    if (item.name && item.kind === 'assistant') article.dataset.member = this.#members.indexOf(item.name) % 6
    article.append(...this.#shapes[item.kind](item))
    return article
  }

  #shapes = {
    user: ({ text, silent }) => [head('You'), silent ? element('i', {}, 'stayed silent') : spoken(text)],
    assistant: ({ name, model, text }) => [head(name, model), spoken(text)],
    note: ({ text }) => [text],
    tool: (item) => {
      if (item.approval) {
        return [approvalForm(item, (decision) => this.#post(`approvals/${item.approval}`, decision))]
      }
      const call = element('code', {}, `${item.name}(${item.arguments})`)
      const state = { called: 'called', running: 'runs …', done: 'done' }[item.state]
      const head = element('summary', {}, element('b', {}, item.by), ` · ${item.name} · ${state}`)
      const result = item.state === 'done' ? [element('code', {}, `→ ${item.result}`)] : []
      const talk = (item.talk ?? []).map(({ name, text }) =>
        element('div', { className: 'talk' }, element('b', {}, name), spoken(text)),
      )
      return [element('details', { open: item.state !== 'done' }, head, call, ...talk, ...result)]
    },
    question: (item) => {
      if (item.answer !== undefined) {
        return [element('p', {}, `${item.text} `, element('b', {}, item.answer ?? '(withdrawn)'))]
      }
      const id = `question-${item.id}`
      const field = element('input', { id, type: 'text', required: true })
      const form = element(
        'form',
        {},
        element('label', { htmlFor: id }, item.text),
        element(
          'div',
          { className: 'actions' },
          field,
          element('button', { className: 'main', textContent: 'Answer' }),
        ),
      )
      form.addEventListener('submit', (event) => {
        event.preventDefault()
        void this.#post(`answers/${item.id}`, { text: field.value })
      })
      return [form]
    },
  }
}

const spoken = (text) => element('div', { className: 'said' }, ...richText(text))

/** Makes the heading of a line: the speaker and the model. */
function head(name, model) {
  const initial = element('span', { className: 'initial', ariaHidden: 'true' }, name[0].toUpperCase())
  const parts = [initial, element('b', {}, name)]
  if (model) parts.push(element('span', { className: 'model' }, model))
  return element('p', { className: 'head' }, ...parts)
}
