// The page: reads a stream of changes, and sends posts.
import { addressOf, ChatList } from './chats.js'
import { Composer } from './composer.js'
import { byId, setText } from './dom.js'
import { Items } from './items.js'
import { post, watch } from './server.js'

const chatInAddress = () => /^\/chats\/([\w-]+)$/u.exec(location.pathname)?.[1]

let chat = ''
let leave = () => {}
const toChat = (path, body) => post(`/chats/${chat}/${path}`, body)
const composer = new Composer(toChat)
const list = new ChatList((id) => {
  if (id !== chat) history.pushState(null, '', addressOf(id))
  open(id)
})
let items
let state

/** Shows a chat until another one is opened. */
function open(id) {
  if (id === chat) return
  leave()
  chat = id
  state = undefined
  byId('items').replaceChildren()
  items = new Items(byId('items'), toChat)
  list.current = id
  composer.chat = id
  leave = watch(id, (change) => {
    changes[change.type](change)
    showNext()
  })
}

const changes = {
  begin: ({ items: count }) => items.begin(count),
  item: ({ index, item }) => items.put(index, item),
  text: ({ index, text }) => items.addText(index, text),
  chats: (page) => (list.page = page),
  state(change) {
    state = change.state
    items.members = state.members
    composer.state = state
    const title = state.title ?? (state.kind === 'group' ? 'New group' : 'New chat')
    setText(byId('title'), title)
    document.title = `${state.turn || state.waiting ? '● ' : ''}${title} – Chat`
    setText(byId('members'), state.kind === 'group' ? `You, ${state.members.join(', ')}` : '')
    setText(byId('usage'), [usageText(state.usage), leftText(state.left)].filter(Boolean).join(' · '))
  },
}

/** Shows the models, tokens and cost so far. */
function usageText({ models, promptTokens, completionTokens, cost, unpriced }) {
  if (models.length === 0) return ''
  const count = (tokens) => tokens.toLocaleString('en')
  const dollars = cost === 0 ? '$0' : `$${cost.toFixed(4)}`
  const price = unpriced ? (cost === 0 ? 'price unknown' : `${dollars} and more`) : dollars
  return `${models.join(', ')} · ${count(promptTokens)} in, ${count(completionTokens)} out · ${price}`
}

/** Shows what is left of the budgets. */
function leftText({ chat, day }) {
  const left = [
    [chat, 'this chat'],
    [day, 'today'],
  ]
  const texts = left.flatMap(([dollars, of]) => (dollars === null ? [] : [`$${dollars.toFixed(2)} for ${of}`]))
  return texts.length > 0 ? `left: ${texts.join(', ')}` : ''
}

/** Shows the next speaker while nobody writes. */
function showNext() {
  const { next, turn, waiting, busy } = state ?? {}
  const why = next?.reason ? ` (${next.reason})` : ''
  const text = turn
    ? `It is your turn${why}: say something, or stay silent.`
    : waiting && !busy
      ? 'A call waits for your decision.'
      : next && !items.isLive
        ? state.kind === 'group'
          ? `${next.name} is next${why} …`
          : `${next.name} is writing …`
        : ''
  setText(byId('next'), text)
}

addEventListener('popstate', () => {
  const id = chatInAddress()
  if (id) open(id)
})

const given = chatInAddress() ?? (await post('/chats', {}))?.id
if (given) {
  history.replaceState(null, '', addressOf(given))
  open(given)
}
