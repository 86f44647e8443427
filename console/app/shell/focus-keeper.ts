import { useEffect } from 'react'

const OPEN = '[role="dialog"], [role="menu"]'

/**
 * Keeps those who use no mouse from losing their place. A dialog or a menu goes away with the focus in it: it returns to
 * where it was before. A button that waits for the gateway cannot hold the focus: it has it again when it can be used.
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
  /** Where the focus was last, and where it was last outside of dialogs and menus. */
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
    // Whoever is quicker than a dialog that is about to take the focus has not left it.
    if (!this.#isOpen() && !this.#overlays.contains(target)) this.#outside = target
  }

  // Whoever points somewhere has chosen a place themselves.
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
