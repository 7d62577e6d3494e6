/**
 * The start of the dashboard.
 *
 * @module
 */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyKeptTheme } from './parts/theme.tsx';
import { beginEarly } from './early.ts';
import { routeOf } from './route.ts';
import './style.css';

beginEarly(routeOf(location.hash));
applyKeptTheme();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the app');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
