import type { Module } from '../../module.ts'
import { adminAreaRoutes, areaRoutes } from './routes.ts'

export const module: Module = {
  routes: () => [areaRoutes, adminAreaRoutes],
}
