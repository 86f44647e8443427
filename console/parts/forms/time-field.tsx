import { TextInput, type TextInputProps } from '@mantine/core'
import { formatUtc } from '../text/format.ts'

export interface TimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** RFC 3339; empty for none. */
  readonly value: string
  readonly onChange: (at: string) => void
}

/** A time in the viewer's time zone, with UTC in its hint. */
export function TimeField({ value, onChange, ...rest }: TimeFieldProps) {
  const local = localTextOf(value)
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      title={local === '' ? 'In your time zone' : formatUtc(value)}
      value={local}
      onChange={(event) => onChange(timeOf(event.currentTarget.value))}
    />
  )
}

const MINUTE_MS = 60_000

function localTextOf(at: string): string {
  const time = new Date(at)
  if (at === '' || Number.isNaN(time.getTime())) return ''
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().slice(0, 16)
}

function timeOf(text: string): string {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
