import { byId } from './dom.js'

/**
 * Where the person writes. A draft of each chat stays with the page, also when it is loaded anew. What is sent before it is
 * known how the chat stands waits for that.
 */
export class Composer {
  #post
  #chat = ''
  /** How the chat stands; null until the server has told. */
  #state = null
  /** Whether the person wants to send, as soon as it is known how the chat stands. */
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

  /** Begins to write to a chat. What was written before the first one was known belongs to it. */
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

  /** Posts a text, and takes it out of the draft of its chat; tells whether it was taken. */
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

  /** As high as what is written, up to a third of the page. */
  #fit() {
    this.#text.style.height = 'auto'
    this.#text.style.height = `${Math.min(this.#text.scrollHeight + 2, innerHeight / 3)}px`
  }
}
