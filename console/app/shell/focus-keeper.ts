import { useEffect } from 'react'

const OPEN = '[role="dialog"], [role="menu"]'

/**
 * Keeps the focus for keyboard users. When a dialog or menu closes, the focus returns to where it was before. A button
 * loses the focus while it is loading and gets it back when it is enabled again.
 */
export function useFocusKeeper(fallbackId: string): void {
  useEffect(() => {
    const overlays = document.getElementById('overlays')
    if (overlays === null) return
    const keeper = new FocusKeeper(overlays, fallbackId)
    return () => keeper.stop()
  }, [fallbackId])
}

class FocusKeeper {
  readonly #overlays: HTMLElement
  readonly #fallbackId: string
  readonly #observer = new MutationObserver(() => this.#look())
  /** The last focused element, and the last one outside dialogs and menus. */
  #last: HTMLElement | null = null
  #outside: HTMLElement | null = null
  #wasOpen = false

  constructor(overlays: HTMLElement, fallbackId: string) {
    this.#overlays = overlays
    this.#fallbackId = fallbackId
    document.addEventListener('focusin', this.#remember)
    document.addEventListener('pointerdown', this.#forget)
    this.#observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'data-disabled'],
    })
  }

  stop(): void {
    document.removeEventListener('focusin', this.#remember)
    document.removeEventListener('pointerdown', this.#forget)
    this.#observer.disconnect()
  }

  readonly #remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return
    this.#last = target
    // Focus can still move on the page while a dialog is opening; ignore that.
    if (!this.#isOpen() && !this.#overlays.contains(target)) this.#outside = target
  }

  // A click sets the focus explicitly, so do not restore it.
  readonly #forget = ({ target }: PointerEvent) => {
    this.#last = null
    if (target instanceof Node && !this.#overlays.contains(target)) this.#outside = null
  }

  #look(): void {
    const isOpen = this.#isOpen()
    const hasClosed = this.#wasOpen && !isOpen
    this.#wasOpen = isOpen
    if (document.activeElement !== document.body && document.activeElement !== null) return
    if (hasClosed) this.#goBack()
    else if (this.#last?.isConnected && !this.#last.matches(':disabled'))
      this.#last.focus({ preventScroll: true })
  }

  #isOpen(): boolean {
    return this.#overlays.querySelector(OPEN) !== null
  }

  #goBack(): void {
    const isThere = this.#outside?.isConnected && !this.#outside.matches(':disabled')
    const place = isThere ? this.#outside : document.getElementById(this.#fallbackId)
    place?.focus({ preventScroll: true })
  }
}
