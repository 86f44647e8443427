import { Tooltip } from '@mantine/core'
import { type CSSProperties, type PointerEvent, type ReactNode, useState } from 'react'

interface CutTextProps {
  readonly text: string
  /** The width in characters from which on it is cut. */
  readonly width?: number
  /** How many lines it may take on a wide screen. */
  readonly lines?: 1 | 2
  readonly isMono?: boolean
}

interface CutIdProps {
  readonly id: string
}

const LONGEST_ID = 22
const ID_START = 9
const ID_END = 10

/** An id without its middle: ids that begin with the time differ at their ends. */
export function CutId({ id }: CutIdProps) {
  if (id.length <= LONGEST_ID) return <span className="mono">{id}</span>
  return (
    <Tooltip label={id} events={{ hover: true, focus: true, touch: true }} multiline maw={360}>
      <span className="mono">
        {id.slice(0, ID_START)}…{id.slice(-ID_END)}
      </span>
    </Tooltip>
  )
}

/** Shorter texts fit everywhere, so they need no hint. */
const SHORT = 16

/** A name or an id that may be long: what does not fit is cut, and whole in its hint. On a phone it may take two lines. */
export function CutText({ text, width = 24, lines = 1, isMono = false }: CutTextProps) {
  const [isCut, setCut] = useState(false)
  const measure = ({ currentTarget: span }: PointerEvent<HTMLElement>) =>
    setCut(span.scrollWidth > span.clientWidth || span.scrollHeight > span.clientHeight + 1)
  const span = (
    <span
      className={isMono ? 'cut-text mono' : 'cut-text'}
      style={{ '--cut': `${width}ch` } as CSSProperties}
      data-lines={lines}
      onPointerEnter={measure}
    >
      {text}
    </span>
  )
  if (text.length <= SHORT) return span
  return (
    <Tooltip
      label={text}
      disabled={!isCut}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={360}
    >
      {span}
    </Tooltip>
  )
}

/** What a cell of a table shows: text is cut to two lines, anything else takes care of itself. */
export function CutContent({ children }: { readonly children: ReactNode }) {
  return typeof children === 'string' ? <CutText text={children} width={44} lines={2} /> : children
}
