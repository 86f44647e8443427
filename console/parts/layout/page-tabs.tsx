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
  /** Usually kept in the address; one that no tab has shows the first. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** What is typed in a tab stays while another one is looked at. */
  readonly isKept?: boolean
}

/** The parts of a page, one at a time. On a phone they are pushed sideways, and the chosen one is always in sight. */
export function PageTabs({ tabs, value, onChange, isKept = false }: PageTabsProps) {
  const first = tabs[0]?.value ?? ''
  const shown = tabs.some((tab) => tab.value === value) ? value : first
  const list = useChosenInSight(shown)
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

/** Only the row of tabs is moved: the page itself stays where it was. */
function useChosenInSight(chosen: string) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: The chosen tab is found by its mark, once it is marked.
  useLayoutEffect(() => {
    const row = list.current
    const tab = row?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (!row || !tab) return
    const { left, right } = row.getBoundingClientRect()
    const place = tab.getBoundingClientRect()
    if (place.right > right) row.scrollLeft += place.right - right + MARGIN_PX
    if (place.left < left) row.scrollLeft -= left - place.left + MARGIN_PX
  }, [chosen])
  return list
}
