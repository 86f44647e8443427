import { TextInput, type TextInputProps } from '@mantine/core'
import { formatUtc } from '../text/format.ts'

export interface TimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** RFC 3339; empty for none. */
  readonly value: string
  readonly onChange: (at: string) => void
  /** Typed and shown in UTC. The label must say so. */
  readonly isUtc?: boolean
}

/** A time in the viewer's time zone, with UTC in its hint. */
export function TimeField({ value, onChange, isUtc = false, ...rest }: TimeFieldProps) {
  const text = isUtc ? utcTextOf(value) : localTextOf(value)
  const zone = isUtc ? 'UTC' : 'In your time zone'
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      title={text === '' ? zone : formatUtc(value)}
      value={text}
      onChange={(event) => onChange(timeOf(event.currentTarget.value, isUtc))}
    />
  )
}

const MINUTE_MS = 60_000

function localTextOf(at: string): string {
  const time = new Date(at)
  if (at === '' || Number.isNaN(time.getTime())) return ''
  return utcTextOf(new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString())
}

function utcTextOf(at: string): string {
  return at.slice(0, 16)
}

function timeOf(text: string, isUtc: boolean): string {
  const time = new Date(isUtc ? `${text}Z` : text)
  return text === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
