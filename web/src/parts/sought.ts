import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'

/** For the part of a page that a link asks for: it is scrolled to and gets the focus. Its `tabIndex` must be -1. */
export function useSought<Shown extends HTMLElement>(isSought: boolean): RefObject<Shown | null> {
  const place = useRef<Shown>(null)
  const router = useRouter()
  useEffect(() => {
    if (!isSought) return undefined
    const show = () => {
      place.current?.scrollIntoView({ block: 'center' })
      place.current?.focus({ preventScroll: true })
    }
    show()
    // A cached page is rendered before the router scrolls to its top.
    return router.subscribe('onRendered', show)
  }, [isSought, router])
  return place
}
