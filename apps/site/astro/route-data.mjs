// Gives every page its navigation: Starlight's own would list all pages on each of them.
import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { base, navigation, order } from 'virtual:site'
import { neighboursOf, sidebarFor } from '../src/navigation.ts'

export const onRequest = defineRouteMiddleware(({ locals: { starlightRoute } }) => {
  const { id } = starlightRoute
  starlightRoute.sidebar = sidebarFor(navigation, id, base)
  starlightRoute.pagination = neighboursOf(order, id, base)
})
