import { useMemo } from 'react'
import { highlight } from './highlight.ts'

export function Highlighted({ code, language }: { readonly code: string; readonly language: string }) {
  const parts = useMemo(() => highlight(code, language), [code, language])
  return parts.map(({ text, kind }, index) =>
    kind === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: The parts of a text keep their order.
      <span key={index} className={`code-${kind}`}>
        {text}
      </span>
    ),
  )
}
