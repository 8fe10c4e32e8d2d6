import type { ChatMessage, ContentPart } from '@x/interfaces'
import { diffWordsWithSpace } from 'diff'
import type { JSX } from 'preact'
import { prettyJson } from './format.ts'
import { CodeBlock, RichText } from './rich-text.tsx'

/** Shows a message as a model gets or gives it: its role, its text, its calls and its attachments. */
export function Message({
  message,
  mark,
}: {
  readonly message: ChatMessage
  readonly mark?: 'new' | 'gone' | undefined
}): JSX.Element {
  const { role, name, tool_calls: calls = [], tool_responses: responses = [] } = message
  return (
    <article class={`message ${role ?? 'assistant'} ${mark ?? ''}`}>
      <header>
        <b>{role ?? 'assistant'}</b>
        {name !== undefined && <span>{name}</span>}
        {message.tool_call_id !== undefined && <code>{message.tool_call_id}</code>}
        {mark && <em>{mark === 'new' ? 'new' : 'no longer sent'}</em>}
      </header>
      <Content content={message.content} isData={role === 'tool'} />
      {calls.map(({ id, function: { name: tool, arguments: given } }, index) => (
        <CodeBlock key={id ?? index} language={`calls ${tool}`} code={prettyJson(given)} />
      ))}
      {responses.map((response, index) => (
        <CodeBlock key={index} language="result" code={prettyJson(contentText(response.content))} />
      ))}
    </article>
  )
}

function Content({
  content,
  isData,
}: {
  readonly content: ChatMessage['content']
  readonly isData: boolean
}): JSX.Element | null {
  if (content === null || content === undefined || typeof content === 'function') return null
  if (typeof content === 'string') {
    const pretty = isData ? prettyJson(content) : content
    return isData && pretty !== content ? <CodeBlock code={pretty} language="json" /> : <RichText text={content} />
  }
  return <Parts parts={content} />
}

/** Shows the parts of a content: texts, pictures that came with it, and the kinds of others. */
export function Parts({ parts }: { readonly parts: readonly ContentPart[] }): JSX.Element {
  return (
    <>
      {parts.map((part, index) => {
        if (part.type === 'text') return <RichText key={index} text={part.text} />
        const picture = pictureIn(part)
        if (picture) return <img key={index} class="picture" src={picture} alt="Attached picture" />
        return <CodeBlock key={index} language={part.type} code={prettyJson(part)} />
      })}
    </>
  )
}

/** Returns the picture of a part if it is within the record: a page of the studio asks no other server. */
function pictureIn(part: ContentPart): string | null {
  const { image_url: image } = part as { readonly image_url?: { readonly url?: unknown } | string }
  const url = typeof image === 'string' ? image : image?.url
  return typeof url === 'string' && /^data:image\/(?:png|jpeg|gif|webp);base64,/u.test(url) ? url : null
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** Most words that differ between texts whose words are compared: the work grows with their square. */
const MAX_DIFFERENCES = 500

/** Shows the words that differ between two texts; both texts if nearly all do. */
export function TextDifference({ before, after }: { readonly before: string; readonly after: string }): JSX.Element {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_DIFFERENCES })
  if (!parts) {
    return (
      <div class="difference">
        <del>{before}</del>
        <ins>{after}</ins>
      </div>
    )
  }
  return (
    <div class="difference">
      {parts.map(({ value, added, removed }, index) =>
        added ? (
          <ins key={index}>{value}</ins>
        ) : removed ? (
          <del key={index}>{value}</del>
        ) : (
          <span key={index}>{value}</span>
        ),
      )}
    </div>
  )
}

/** Returns the words of a message, to compare them. */
export function wordsOf({ content, tool_calls: calls }: ChatMessage): string {
  const text = content === null || content === undefined || typeof content === 'function' ? '' : contentText(content)
  return [text, ...(calls ?? []).map((call) => `→ ${call.function.name}(${call.function.arguments})`)]
    .filter(Boolean)
    .join('\n')
}
