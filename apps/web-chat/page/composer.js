import { byId } from './dom.js'

/**
 * The input box. It keeps a draft for each chat, also over a reload. A message that is sent before the state of the chat is
 * known waits for that state.
 */
export class Composer {
  #post
  #chat = ''
  /** State of the chat; null until the server has sent it. */
  #state = null
  /** True if the draft is to be sent as soon as the state of the chat is known. */
  #sends = false
  #text = byId('text')

  /** `post` posts to the chat. */
  constructor(post) {
    this.#post = post
    byId('form').addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#submit()
    })
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      byId('form').requestSubmit()
    })
    this.#text.addEventListener('input', () => this.#keep())
    byId('stop').addEventListener('click', () => post('stop', {}))
    byId('silent').addEventListener('click', () => void this.#answer(''))
  }

  /** Switches to the draft of a chat. Text that was written before the first chat was known belongs to that chat. */
  set chat(id) {
    const written = this.#chat ? '' : this.#text.value
    if (this.#chat) this.#sends = false
    this.#chat = id
    this.#text.value = written || (sessionStorage.getItem(`draft ${id}`) ?? '')
    this.#keep()
    this.#state = null
    this.#draw({ turn: null, busy: false })
  }

  set state(state) {
    const began = state.turn !== null && this.#state?.turn !== state.turn
    this.#state = state
    this.#draw(state)
    if (began && document.activeElement === document.body) this.#text.focus()
    if (!this.#sends) return
    this.#sends = false
    void this.#submit()
  }

  #draw({ turn, busy }) {
    const yours = turn !== null
    byId('form').classList.toggle('turn', yours)
    byId('silent').hidden = !yours
    byId('stop').hidden = !busy
    byId('send').hidden = busy && !yours
    this.#text.placeholder = yours ? 'Say something, or stay silent' : 'Write a message'
  }

  async #submit() {
    const text = this.#text.value.trim()
    if (!text) return
    if (!this.#state) this.#sends = true
    else if (this.#state.turn) await this.#answer(text)
    else if (!this.#state.busy) await this.#send('messages', text)
  }

  async #answer(text) {
    if (await this.#send(`answers/${this.#state.turn}`, text)) this.#text.focus()
  }

  /** Posts a text and clears the draft of its chat; returns true on success. */
  async #send(path, text) {
    const chat = this.#chat
    if (!(await this.#post(path, { text }))) return false
    if (!text) return true
    if (chat === this.#chat) this.#text.value = ''
    sessionStorage.removeItem(`draft ${chat}`)
    this.#fit()
    return true
  }

  #keep() {
    sessionStorage.setItem(`draft ${this.#chat}`, this.#text.value)
    this.#fit()
  }

  /** Makes the box as high as its text, up to a third of the page. */
  #fit() {
    this.#text.style.height = 'auto'
    this.#text.style.height = `${Math.min(this.#text.scrollHeight + 2, innerHeight / 3)}px`
  }
}
