import { NativeSelect, NumberInput, Stack, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PaintQuestion } from './paint.ts'

const SIZES = [
  { value: '', label: 'The model’s own' },
  { value: '1024x1024', label: '1024 × 1024' },
  { value: '1536x1024', label: '1536 × 1024' },
  { value: '1024x1536', label: '1024 × 1536' },
  { value: '512x512', label: '512 × 512' },
]
const QUALITIES = [
  { value: '', label: 'The model’s own' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
]
const MOST_PICTURES = 4

/** What is to be painted, without the pictures it begins from. */
export type Wish = Pick<PaintQuestion, 'prompt' | 'n' | 'size' | 'quality'>
export const NO_WISH: Wish = { prompt: '', n: 1, size: '', quality: '' }

export interface WishFormProps {
  readonly wish: Wish
  readonly onChange: (change: Partial<Wish>) => void
  readonly isEdit: boolean
  /** The button below. */
  readonly children: ReactNode
}

export function WishForm({ wish, onChange, isEdit, children }: WishFormProps) {
  return (
    <Stack gap="sm">
      <Textarea
        label="Prompt"
        placeholder={isEdit ? 'Make the sky orange' : 'A lighthouse at dawn'}
        autosize
        minRows={3}
        maxRows={8}
        value={wish.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <NumberInput
        label="How many"
        min={1}
        max={MOST_PICTURES}
        allowDecimal={false}
        value={wish.n}
        onChange={(value) => onChange({ n: typeof value === 'number' ? value : 1 })}
      />
      <NativeSelect
        label="Size"
        data={SIZES}
        value={wish.size}
        onChange={(event) => onChange({ size: event.currentTarget.value })}
      />
      <NativeSelect
        label="Quality"
        data={QUALITIES}
        value={wish.quality}
        onChange={(event) => onChange({ quality: event.currentTarget.value })}
      />
      {children}
    </Stack>
  )
}
