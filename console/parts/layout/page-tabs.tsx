import { Tabs } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'

export interface PageTab {
  readonly value: string
  readonly label: string
  readonly icon?: Icon
  readonly content: ReactNode
}

export interface PageTabsProps {
  readonly tabs: readonly PageTab[]
  /** Usually stored in the address. An unknown value shows the first tab. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Keeps input in a tab while another one is open. */
  readonly isKept?: boolean
}

/** Tabs of a page. On a phone they scroll sideways, and the selected one stays visible. */
export function PageTabs({ tabs, value, onChange, isKept = false }: PageTabsProps) {
  const first = tabs[0]?.value ?? ''
  const shown = tabs.some((tab) => tab.value === value) ? value : first
  const list = useChosenInSight(shown, tabs.length)
  return (
    <Tabs value={shown} onChange={(chosen) => onChange(chosen ?? first)} keepMounted={isKept}>
      <Tabs.List ref={list} mb="lg" className="page-tabs">
        {tabs.map(({ value: name, label, icon: Glyph }) => (
          <Tabs.Tab
            key={name}
            value={name}
            leftSection={Glyph && <Glyph size={16} stroke={1.7} aria-hidden />}
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value: name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

const MARGIN_PX = 24

/** Scrolls only the row of tabs, not the page. More tabs may appear later and move the chosen one. */
function useChosenInSight(chosen: string, count: number) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: Runs after the selected tab has changed.
  useLayoutEffect(() => {
    const row = list.current
    const tab = row?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (!row || !tab) return
    const { left, right } = row.getBoundingClientRect()
    const place = tab.getBoundingClientRect()
    if (place.right > right) row.scrollLeft += place.right - right + MARGIN_PX
    if (place.left < left) row.scrollLeft -= left - place.left + MARGIN_PX
  }, [chosen, count])
  return list
}
