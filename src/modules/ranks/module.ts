import type { Module } from '../../module.ts'
import { rankRoutes } from './routes.ts'

export const module: Module = {
  routes: () => [rankRoutes],
}
