import { useParams } from '@tanstack/react-router'

/** An id in the page's path, for example in /hotels/$hotelId. Anything else is 0, which is never an id. */
export function useIdParam(name: 'hotelId' | 'supplierId' | 'pushId' | 'reservationId'): number {
  const params: Readonly<Partial<Record<string, string>>> = useParams({ strict: false })
  const text = params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
