import { lazy, Suspense } from 'react'

// The parser is large, so it is loaded with the first text.
const Rendered = lazy(() => import('./rendered.tsx').then((part) => ({ default: part.Rendered })))

/** Text of a model with its Markdown laid out. Until the parser is loaded, the text as it is. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<div className="plain-text">{text}</div>}>
      <Rendered text={text} />
    </Suspense>
  )
}
