import { Tooltip } from '@mantine/core'
import type { CSSProperties } from 'react'

interface CutTextProps {
  readonly text: string
  /** The width in characters from which on it is cut. */
  readonly width?: number
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

/** A name or an id that may be long: cut to one line, whole in its hint. */
export function CutText({ text, width = 24, isMono = false }: CutTextProps) {
  const span = (
    <span
      className={isMono ? 'cut-text mono' : 'cut-text'}
      style={{ '--cut': `${width}ch` } as CSSProperties}
    >
      {text}
    </span>
  )
  if (text.length <= width) return span
  return (
    <Tooltip label={text} events={{ hover: true, focus: true, touch: true }} multiline maw={360}>
      {span}
    </Tooltip>
  )
}
