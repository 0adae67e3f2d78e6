import { useParams } from '@tanstack/react-router'

/** A number in the page's path, as the hotel's in /hotels/$hotelId. What is no number is 0, which nothing has. */
export function useIdParam(name: 'hotelId' | 'supplierId' | 'pushId' | 'reservationId'): number {
  const params: Readonly<Partial<Record<string, string>>> = useParams({ strict: false })
  const text = params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
