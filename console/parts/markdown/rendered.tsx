import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode, useDeferredValue, useMemo } from 'react'
import { CodeBlock } from '../text/code-block.tsx'
import { Highlighted } from './highlighted.tsx'
import { decodeEntities, isTooMuch, safeAddress } from './safe-text.ts'

const DEEPEST = 20

/** Lays out Markdown as elements. HTML in it stays text, and images stay links: the address of an image can carry data. */
export function Rendered({ text }: { readonly text: string }) {
  // While text streams in, typing elsewhere stays fluent.
  const settled = useDeferredValue(text)
  const tokens = useMemo(() => readMarkdown(settled), [settled])
  if (tokens === null) return <div className="plain-text">{text}</div>
  return <div className="markdown">{showAll(tokens, 0)}</div>
}

/** Null for text that is better shown as it is. */
export function readMarkdown(text: string): Token[] | null {
  if (isTooMuch(text)) return null
  try {
    return lexer(text, { gfm: true, breaks: true })
  } catch {
    return null
  }
}

function showAll(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: Text is only ever added at the end.
    <Fragment key={index}>{show(token as MarkedToken, depth)}</Fragment>
  ))
}

function show(token: MarkedToken, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw
  const inside = () => showAll(('tokens' in token ? token.tokens : undefined) ?? [], depth + 1)
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'heading':
      return <p className={`markdown-heading markdown-heading-${token.depth}`}>{inside()}</p>
    case 'paragraph':
      return <p>{inside()}</p>
    case 'blockquote':
      return <blockquote>{inside()}</blockquote>
    case 'strong':
      return <strong>{inside()}</strong>
    case 'em':
      return <em>{inside()}</em>
    case 'del':
      return <del>{inside()}</del>
    case 'codespan':
      return <code className="markdown-code">{token.text}</code>
    case 'code':
      return <Code {...token} />
    case 'list':
      return <List list={token} depth={depth} />
    case 'table':
      return <TableView table={token} depth={depth} />
    case 'link':
      return <SafeLink href={token.href}>{inside()}</SafeLink>
    case 'image':
      return <SafeLink href={token.href}>{token.text === '' ? 'Image' : token.text}</SafeLink>
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : inside()
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

function Code({ text, lang = '' }: Pick<Tokens.Code, 'text' | 'lang'>) {
  const [language = ''] = lang.split(/\s/)
  return (
    <CodeBlock
      code={text}
      title={language === '' ? 'Code' : language}
      content={<Highlighted code={text} language={language} />}
    />
  )
}

interface ListProps {
  readonly list: Tokens.List
  readonly depth: number
}

function List({ list, depth }: ListProps) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: Text is only ever added at the end.
    <li key={index} className={item.task ? 'markdown-task' : undefined}>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      {showAll(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ))
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function TableView({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: It holds no fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable content must be reachable by keyboard.
    <div role="group" className="markdown-table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The columns of a table keep their order.
              <th key={index} scope="col" style={{ textAlign: cell.align ?? 'left' }}>
                {showAll(cell.tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Text is only ever added at the end.
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: As above.
                <td key={column} style={{ textAlign: cell.align ?? 'left' }}>
                  {showAll(cell.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The text of a link whose address a browser should not follow stays text. */
function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const address = safeAddress(href)
  if (address === null) return children
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
