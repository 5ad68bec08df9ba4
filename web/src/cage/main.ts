/** Starts the screen of the cage in the browser. */
import "../lib/theme.css";
import "../staff/desk.css";
import { mount } from "svelte";
import Screen from "./Screen.svelte";

mount(Screen, { target: document.body });
