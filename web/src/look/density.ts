import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import { storageName } from '../address.ts'

/** How far apart the rows of tables are, for this browser. */
export const densities = ['normal', 'compact'] as const
type Density = (typeof densities)[number]

export function useDensity(): [Density, (density: Density) => void] {
  const [stored, store] = useLocalStorage<string>({
    key: storageName('density'),
    defaultValue: 'normal',
    getInitialValueInEffect: false,
  })
  const density = densities.find((one) => one === stored) ?? 'normal'
  useEffect(() => {
    document.documentElement.dataset['density'] = density
  }, [density])
  return [density, store]
}
