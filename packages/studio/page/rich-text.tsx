import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visibleText } from './format.ts'
import { CopyButton } from './shared.tsx'

/** Characters of a text that are shown at first. */
const MAX_SHOWN = 12_000

/**
 * Shows what a model or a person wrote: paragraphs, fenced code, and of Markdown what models write most: code, strong, emphasis,
 * headings, and dots for `-`. It makes text and nothing else: markup in it is seen as it stands.
 */
export function RichText({ text }: { readonly text: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : text.slice(0, MAX_SHOWN)
  return (
    <div class="rich">
      {blocksOf(shown).map((block, index) =>
        block.code === null ? (
          <p key={index}>{inline(block.text)}</p>
        ) : (
          <CodeBlock key={index} code={block.text} language={block.code} />
        ),
      )}
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}

/** Shows code or data as it stands, and what nobody would see of it by its number. */
export function CodeBlock({ code, language = '' }: { readonly code: string; readonly language?: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? code : code.slice(0, MAX_SHOWN)
  return (
    <figure class="code">
      <figcaption>
        <span>{language || 'text'}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{visibleText(shown)}</code>
      </pre>
      {shown.length < code.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {code.length.toLocaleString('en')} characters
        </button>
      )}
    </figure>
  )
}

/** The beginning of a line that opens or closes code, with the language behind it. */
const FENCE = /^\s*(`{3,}|~{3,})[ \t]*([\w+#.-]*)/u

interface Block {
  readonly text: string
  /** Language of code; null for a paragraph. */
  readonly code: string | null
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let code: string | null = null
  let opened = ''
  const end = (): void => {
    const joined = code === null ? lines.join('\n').trim() : lines.join('\n')
    if (joined || code !== null) blocks.push({ text: joined, code })
    lines = []
  }
  for (const line of text.split('\n')) {
    const { 0: whole = '', 1: fence = '', 2: language = '' } = FENCE.exec(line) ?? []
    // Code within a line may have as many marks, and code within code fewer of them.
    if (
      code === null ? fence && !line.includes('`', whole.length) : line.trim() === fence && fence.startsWith(opened)
    ) {
      end()
      code = code === null ? language : null
      opened = fence
    } else if (code === null && line.trim() === '') end()
    else lines.push(line)
  }
  if (lines.length > 0 || code !== null) end()
  return blocks
}

/** Marks within a paragraph: code, strong, a heading, emphasis. */
const MARKS = /`([^`\n]+)`|\*\*([^*\s](?:[^*\n]*[^*\s])?)\*\*|^#{1,6} +(.+)$|\*([^*\s](?:[^*\n]*[^*\s])?)\*/gmu

function inline(text: string): readonly (string | JSX.Element)[] {
  const shown = text.replaceAll(/^(\s*)[-*] /gmu, '$1• ')
  const parts: (string | JSX.Element)[] = []
  let from = 0
  for (const { 0: whole, 1: code, 2: strong, 3: heading, 4: emphasis, index } of shown.matchAll(MARKS)) {
    if (index > from) parts.push(shown.slice(from, index))
    const bold = strong ?? heading
    if (code !== undefined) parts.push(<code key={index}>{code}</code>)
    else if (bold !== undefined) parts.push(<strong key={index}>{bold}</strong>)
    else parts.push(<em key={index}>{emphasis}</em>)
    from = index + whole.length
  }
  return from < shown.length ? [...parts, shown.slice(from)] : parts
}
