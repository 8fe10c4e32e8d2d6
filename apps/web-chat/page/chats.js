import { byId, element } from './dom.js'
import { post, token } from './server.js'

/** Returns the path of a chat. */
export const addressOf = (id) => `/chats/${id}#${token}`

/** The list of chats; `open` is called with the chat to open. */
export class ChatList {
  #open
  /** The most recently changed chats, and older ones that the person has requested. */
  #chats = new Map()
  /** The chat after which older ones are read; undefined until the person requests some. */
  #older
  /** The same cursor for the chats that the server sends by itself. */
  #first
  #current = ''

  constructor(open) {
    this.#open = open
    for (const button of document.querySelectorAll('.new button')) {
      button.addEventListener('click', () => void this.#begin(button.dataset.kind))
    }
    byId('menu').addEventListener('click', () => this.#show(byId('menu').ariaExpanded !== 'true'))
    byId('older').addEventListener('click', () => void this.#showOlder())
    document.addEventListener('click', ({ target }) => {
      if (!target.closest('nav, #menu')) this.#show(false)
    })
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || byId('menu').ariaExpanded !== 'true') return
      this.#show(false)
      byId('menu').focus()
    })
  }

  set page({ chats, older }) {
    for (const chat of chats) this.#chats.set(chat.id, chat)
    if (this.#older === undefined) byId('older').hidden = older === null
    this.#first = older
    this.#draw()
  }

  set current(id) {
    this.#current = id
    this.#show(false)
    this.#draw()
  }

  async #begin(kind) {
    const begun = await post('/chats', { kind })
    if (begun) this.#open(begun.id)
    byId('text').focus()
  }

  async #showOlder() {
    const page = await post('/older-chats', { after: this.#older ?? this.#first })
    if (!page) return
    // Chats that are known already are newer.
    for (const chat of page.chats) if (!this.#chats.has(chat.id)) this.#chats.set(chat.id, chat)
    this.#older = page.older
    byId('older').hidden = page.older === null
    this.#draw()
  }

  /** On a narrow page the list covers the chat until the person chooses one. */
  #show(open) {
    byId('menu').ariaExpanded = String(open)
    if (open) byId('chats').querySelector('button').focus()
  }

  #draw() {
    const focused = document.activeElement?.closest?.('#list a')?.dataset.id
    const chats = [...this.#chats.values()].sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
    byId('list').replaceChildren(...chats.map((chat) => element('li', {}, this.#link(chat))))
    if (focused) byId('list').querySelector(`[data-id="${focused}"]`)?.focus()
  }

  #link({ id, kind, title, changed, busy, asks }) {
    const when = new Date(changed).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })
    const state = asks ? 'asks you' : busy ? 'is being answered' : when
    const link = element(
      'a',
      { href: addressOf(id), data: { id } },
      element('span', { className: 'name' }, title ?? 'New chat'),
      element('small', { className: asks ? 'asks' : '' }, `${kind === 'group' ? 'Group · ' : ''}${state}`),
    )
    if (id === this.#current) link.ariaCurrent = 'page'
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      this.#open(id)
    })
    return link
  }
}
