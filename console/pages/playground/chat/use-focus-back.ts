import { type RefObject, useEffect, useRef, useState } from 'react'

/** Focuses an element after its focused content was replaced, so that the next key has an effect. */
export function useFocusBack<T extends HTMLElement>(): { readonly box: RefObject<T | null>; back(): void } {
  const box = useRef<T>(null)
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (count > 0) box.current?.focus()
  }, [count])
  return { box, back: () => setCount((before) => before + 1) }
}
