import { byId } from './dom.js'

/** Where the person writes. A draft of each chat stays with the page, also when it is loaded anew. */
export class Composer {
  #post
  #chat = ''
  #state = null
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

  /** Begins to write to a chat. */
  set chat(id) {
    this.#chat = id
    this.#text.value = sessionStorage.getItem(`draft ${id}`) ?? ''
    this.#fit()
  }

  set state(state) {
    const yours = state.turn !== null
    const began = yours && this.#state?.turn !== state.turn
    this.#state = state
    byId('form').classList.toggle('turn', yours)
    byId('silent').hidden = !yours
    byId('stop').hidden = !state.busy
    byId('send').hidden = state.busy && !yours
    this.#text.placeholder = yours ? 'Say something, or stay silent' : 'Write a message'
    if (began && document.activeElement === document.body) this.#text.focus()
  }

  async #submit() {
    const text = this.#text.value.trim()
    if (!text) return
    if (this.#state?.turn) await this.#answer(text)
    else if (!this.#state?.busy && (await this.#post('messages', { text }))) this.#clear()
  }

  async #answer(text) {
    if (!(await this.#post(`answers/${this.#state.turn}`, { text }))) return
    if (text) this.#clear()
    this.#text.focus()
  }

  #clear() {
    this.#text.value = ''
    this.#keep()
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
