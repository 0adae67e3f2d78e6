import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as render } from '@evertdespiegeleer/go-template'
import { parse } from 'yaml'

export type Values = Record<string, unknown>

/** Each template of a chart as Go's own engine renders it, which is the one in Helm, with the values laid over the chart's. */
export async function renderChart(folder: string, values: Values, release = 'r'): Promise<string[]> {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const chart: Values = parse(read('Chart.yaml'))
  const context = {
    Values: laidOver(parse(read('values.yaml')), values),
    Chart: { Name: chart['name'], Version: chart['version'], AppVersion: chart['appVersion'] },
    Release: { Name: release, Namespace: 'n', Service: 'Helm' },
  }
  const helpers = read('templates/_helpers.tpl')
  const rendered: string[] = []
  for (const path of globSync('templates/**/*.{yaml,txt}', { cwd: folder }).sort())
    rendered.push((path.endsWith('.txt') ? '# ' : '') + (await render(helpers + read(path), context)))
  return rendered.filter((text) => !text.startsWith('# '))
}

function laidOver(below: unknown, above: unknown): unknown {
  if (!isMembers(below) || !isMembers(above)) return above
  const names = new Set([...Object.keys(below), ...Object.keys(above)])
  return Object.fromEntries(
    [...names].map((name) => [name, name in above ? laidOver(below[name], above[name]) : below[name]]),
  )
}

function isMembers(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
