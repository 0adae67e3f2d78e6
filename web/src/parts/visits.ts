import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { storageName } from '../address.ts'

/** The hotels, suppliers and reservations that somebody looked at last, in this browser until the sign-out. */

const storageKey = storageName('visits')
const visitsMax = 8
const kinds = ['hotels', 'suppliers', 'reservations'] as const
export type Visit = { kind: (typeof kinds)[number]; id: string; name: string }

export function readVisits(): Visit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isVisit) : []
  } catch {
    // Not written by us.
    return []
  }
}

function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false
  const of = (name: string): unknown => Reflect.get(value, name)
  return (
    kinds.some((kind) => kind === of('kind')) &&
    /^\d+$/.test(String(of('id'))) &&
    typeof of('name') === 'string'
  )
}

/** Remembers the page of a thing under its name, once that is known. */
export function useVisit(name: string | undefined): void {
  const { pathname } = useLocation()
  useEffect(() => {
    const [, kind, id] = /^\/(hotels|suppliers|reservations)\/(\d+)/.exec(pathname) ?? []
    const known = kinds.find((one) => one === kind)
    if (known === undefined || id === undefined || name === undefined) return
    const others = readVisits().filter((visit) => visit.kind !== known || visit.id !== id)
    localStorage.setItem(
      storageKey,
      JSON.stringify([{ kind: known, id, name }, ...others].slice(0, visitsMax)),
    )
  }, [pathname, name])
}

export function forgetVisits(): void {
  localStorage.removeItem(storageKey)
}
