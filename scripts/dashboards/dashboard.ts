/** One line, bar or number of a panel: a query of Prometheus, and how Grafana calls its series. */
export interface Query {
  readonly expr: string
  readonly legend: string
}

export type Unit = 'reqps' | 'short' | 's' | 'percentunit' | 'bytes' | 'tokens' | 'usdt' | 'ops' | 'bool'

export interface Panel {
  readonly title: string
  readonly about?: string
  /** A graph over time by default. */
  readonly kind?: 'timeseries' | 'stat' | 'bargauge' | 'table'
  readonly unit: Unit
  readonly queries: readonly Query[]
  /** Of 24 columns. */
  readonly width?: number
  readonly isStacked?: boolean
}

/** A choice at the top of a dashboard, from the values of a label. */
export interface Variable {
  readonly name: string
  readonly label: string
  readonly values: string
  /** One value instead of several. */
  readonly isSingle?: boolean
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly about: string
  readonly variables: readonly Variable[]
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}

const GRID_COLUMNS = 24
const HEIGHTS = { stat: 4, timeseries: 8, bargauge: 8, table: 8 } as const
const WIDTHS = { stat: 4, timeseries: 12, bargauge: 12, table: 12 } as const
// Of Grafana 11, which later versions read as well.
const SCHEMA_VERSION = 39
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

const GRAFANA_UNITS: Readonly<Record<Unit, string>> = {
  reqps: 'reqps',
  short: 'short',
  s: 's',
  percentunit: 'percentunit',
  bytes: 'bytes',
  tokens: 'suffix: tokens/s',
  usdt: 'suffix: USDT',
  ops: 'ops',
  bool: 'bool_yes_no',
}

/** A menu with all dashboards of the gateway. */
const LINK = {
  type: 'dashboards',
  title: 'Turnpike',
  tags: ['turnpike'],
  icon: 'external link',
  tooltip: '',
  asDropdown: true,
  includeVars: true,
  keepTime: true,
  targetBlank: false,
}

/** The choice that every dashboard has. */
export const JOB: Variable = { name: 'job', label: 'Job', values: 'label_values(turnpike_build_info, job)' }

/** The model that Grafana loads. */
export function renderDashboard({ uid, title, about, variables, rows }: Dashboard) {
  return {
    id: null,
    uid,
    title,
    description: about,
    tags: ['turnpike'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    annotations: { list: [] },
    links: [LINK],
    templating: { list: [datasourceVariable(), ...variables.map(renderVariable)] },
    panels: layOut(rows),
  }
}

function datasourceVariable() {
  return {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    hide: 0,
    refresh: 1,
  }
}

function renderVariable({ name, label, values, isSingle = false }: Variable) {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query: values, refId: `${name}-values` },
    hide: 0,
    // When the time range changes.
    refresh: 2,
    sort: 1,
    multi: !isSingle,
    includeAll: !isSingle,
    ...(!isSingle && { allValue: '.*', current: { text: ['All'], value: ['$__all'] } }),
  }
}

/** Panels from left to right, each row below the one before. */
function layOut(rows: Dashboard['rows']) {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: GRID_COLUMNS, x: 0, y },
      panels: [],
    })
    y += 1
    let x = 0
    let height = 0
    for (const panel of panels) {
      const kind = panel.kind ?? 'timeseries'
      const w = panel.width ?? WIDTHS[kind]
      if (x + w > GRID_COLUMNS) {
        y += height
        x = 0
        height = 0
      }
      placed.push(renderPanel(panel, placed.length + 1, { h: HEIGHTS[kind], w, x, y }))
      x += w
      height = Math.max(height, HEIGHTS[kind])
    }
    y += height
  }
  return placed
}

interface Place {
  readonly h: number
  readonly w: number
  readonly x: number
  readonly y: number
}

function renderPanel(panel: Panel, id: number, gridPos: Place) {
  const { title, about, kind = 'timeseries', unit, queries, isStacked = false } = panel
  return {
    id,
    type: kind,
    title,
    ...(about !== undefined && { description: about }),
    datasource: DATASOURCE,
    gridPos,
    targets: queries.map(({ expr, legend }, place) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + place),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(kind === 'timeseries' ? { range: true } : { instant: true, range: false }),
      ...(kind === 'table' && { format: 'table' }),
    })),
    fieldConfig: {
      defaults: {
        unit: GRAFANA_UNITS[unit],
        ...(unit !== 'usdt' && { min: 0 }),
        ...(kind === 'timeseries' && { custom: lineStyle(isStacked) }),
      },
      overrides: [],
    },
    options: optionsOf(kind),
  }
}

function lineStyle(isStacked: boolean) {
  return {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: isStacked ? 40 : 8,
    showPoints: 'never',
    spanNulls: false,
    stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
  }
}

const LAST_VALUE = { calcs: ['lastNotNull'], fields: '', values: false }

function optionsOf(kind: NonNullable<Panel['kind']>): object {
  switch (kind) {
    case 'timeseries':
      return {
        legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['mean', 'max'] },
        tooltip: { mode: 'multi', sort: 'desc' },
      }
    case 'stat':
      return { reduceOptions: LAST_VALUE, colorMode: 'value', graphMode: 'area', textMode: 'auto' }
    case 'bargauge':
      return { reduceOptions: LAST_VALUE, orientation: 'horizontal', displayMode: 'gradient' }
    case 'table':
      return { showHeader: true }
  }
}
