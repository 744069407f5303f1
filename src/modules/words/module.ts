import type { Module } from '../../module.ts'
import { adminWordRoutes } from './admin/routes.ts'

export const module: Module = {
  routes: () => [adminWordRoutes],
}
