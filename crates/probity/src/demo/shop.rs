//! The shop's HTTP API: orders are taken at once and put into the store a moment later, as shops do that answer fast.
//!
//! ```text
//! POST   /api/orders        {sku, qty, note}  201 {id, total, currency, note, state}   422 {error}
//! GET    /api/orders/{id}                     200 the same; state turns from pending to ready   404
//! DELETE /api/orders/{id}                     204   404
//! GET    /version                             200 {build}
//! ```

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;

use super::prices::{self, MOST};
use super::store::{Money, Store, Stored};

/// How long an order is pending.
const BOOKING: Duration = Duration::from_millis(250);

/// The longest note, in bytes.
const LONGEST_NOTE: usize = 200;

/// The most orders at one time.
const MOST_ORDERS: usize = 1_000;

/// A shop that is open; dropping it closes it.
pub(crate) struct Shop {
    address: SocketAddr,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shop {
    /// Opens a shop on a free port of 127.0.0.1, with its orders in a folder.
    ///
    /// # Errors
    /// When no port, thread or folder can be had.
    pub(crate) fn open(orders: PathBuf, fixed: bool) -> io::Result<Self> {
        let money = if fixed { Money::Cents } else { Money::Single };
        let desk = Desk {
            store: Store::open(orders, money)?,
            build: if fixed { "shop-1.4.1" } else { "shop-1.4.0" },
            orders: Arc::default(),
        };
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (close, closed) = oneshot::channel();
        let thread = std::thread::Builder::new().name("shop".to_owned()).spawn(move || {
            // Dropping the runtime ends what is still open; nobody waits for a connection that idles.
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, desk) => {}
                    _ = closed => {}
                }
            });
        })?;
        Ok(Self { address, close: Some(close), thread: Some(thread) })
    }

    /// Where it answers.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        drop(self.close.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, desk: Desk) {
    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
        let _ = axum::serve(listener, router(desk)).await;
    }
}

fn router(desk: Desk) -> Router {
    Router::new()
        .route("/version", get(version))
        .route("/api/orders", post(place))
        .route("/api/orders/{id}", get(look).delete(cancel))
        .with_state(desk)
}

/// What the handlers share.
#[derive(Clone)]
struct Desk {
    store: Store,
    build: &'static str,
    orders: Arc<Mutex<BTreeMap<String, Order>>>,
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, BTreeMap<String, Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an order into the store a moment later, unless it was cancelled meanwhile.
    async fn book(self, id: String) {
        tokio::time::sleep(BOOKING).await;
        let mut orders = self.orders();
        if let Some(order) = orders.get_mut(&id) {
            let stored = self.store.put(&order.stored, order.cents).is_ok();
            order.state = if stored { "ready" } else { "lost" };
        }
    }
}

/// An order as the shop remembers it.
#[derive(Clone, Serialize)]
struct Order {
    #[serde(flatten)]
    stored: Stored,
    state: &'static str,
    #[serde(skip)]
    cents: u32,
}

#[derive(Deserialize)]
struct Wish {
    sku: String,
    qty: u32,
    #[serde(default)]
    note: String,
}

async fn version(State(desk): State<Desk>) -> Json<serde_json::Value> {
    Json(json!({"build": desk.build}))
}

async fn place(State(desk): State<Desk>, Json(wish): Json<Wish>) -> Response {
    if !(1..=MOST).contains(&wish.qty) {
        return refused(&format!("qty goes from 1 to {MOST}"));
    }
    if wish.note.len() > LONGEST_NOTE {
        return refused(&format!("note has at most {LONGEST_NOTE} bytes"));
    }
    let Some(cents) = prices::total(&wish.sku, wish.qty) else { return refused("sku is nothing that the shop sells") };
    let mut digits = [0; 4];
    if getrandom::fill(&mut digits).is_err() || desk.orders().len() >= MOST_ORDERS {
        return error(StatusCode::SERVICE_UNAVAILABLE, "the shop takes no more orders");
    }
    let id: String = digits.iter().map(|b| format!("{b:02x}")).collect();
    let (total, currency) = (prices::amount(cents), "EUR".to_owned());
    let stored = Stored { id: id.clone(), sku: wish.sku, qty: wish.qty, total, currency, note: wish.note };
    let order = Order { stored, state: "pending", cents };
    desk.orders().insert(id.clone(), order.clone());
    tokio::spawn(desk.book(id));
    (StatusCode::CREATED, Json(order)).into_response()
}

async fn look(State(desk): State<Desk>, Path(id): Path<String>) -> Response {
    let order = desk.orders().get(&id).cloned();
    order.map_or_else(absent, |order| Json(order).into_response())
}

async fn cancel(State(desk): State<Desk>, Path(id): Path<String>) -> Response {
    if desk.orders().remove(&id).is_none() {
        return absent();
    }
    desk.store.remove(&id);
    StatusCode::NO_CONTENT.into_response()
}

fn absent() -> Response {
    error(StatusCode::NOT_FOUND, "there is no such order")
}

fn refused(message: &str) -> Response {
    error(StatusCode::UNPROCESSABLE_ENTITY, message)
}

fn error(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"error": message}))).into_response()
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Instant;

    use serde_json::Value;

    use super::*;
    use crate::demo::store::read;

    fn ask(shop: &Shop, line: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(shop.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn ready(shop: &Shop, id: &str) -> Value {
        let began = Instant::now();
        loop {
            let (status, order) = ask(shop, &format!("GET /api/orders/{id}"), "");
            assert_eq!(status, 200);
            if order["state"] == "ready" {
                return order;
            }
            assert!(order["state"] == "pending" && began.elapsed() < Duration::from_secs(10), "{order}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn no_answer_shows_the_bug() {
        for (fixed, kept) in [(false, 29.96), (true, 29.97)] {
            let dir = tempfile::tempdir().unwrap();
            let shop = Shop::open(dir.path().join("orders"), fixed).unwrap();
            let (status, placed) = ask(&shop, "POST /api/orders", r#"{"sku": "MUG-1", "qty": 3, "note": "n"}"#);
            assert_eq!((status, &placed["total"], &placed["state"]), (201, &json!(29.97), &json!("pending")));
            let id = placed["id"].as_str().unwrap().to_owned();
            assert_eq!(ready(&shop, &id)["total"], 29.97, "the answers are right with the bug and without");
            assert_eq!(read(&dir.path().join("orders"), &id).unwrap().total, kept);
            let order = format!("/api/orders/{id}");
            assert_eq!(ask(&shop, &format!("DELETE {order}"), "").0, 204);
            assert_eq!(ask(&shop, &format!("GET {order}"), "").0, 404);
            assert_eq!(ask(&shop, &format!("DELETE {order}"), "").0, 404);
            assert!(read(&dir.path().join("orders"), &id).is_err());
        }
    }

    #[test]
    fn what_cannot_be_ordered_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let shop = Shop::open(dir.path().join("orders"), false).unwrap();
        let long = format!(r#"{{"sku": "MUG-1", "qty": 1, "note": "{}"}}"#, "x".repeat(201));
        for (body, status) in [
            (r#"{"sku": "HAT-9", "qty": 1}"#, 422),
            (r#"{"sku": "MUG-1", "qty": 0}"#, 422),
            (r#"{"sku": "MUG-1", "qty": 101}"#, 422),
            (r#"{"sku": "MUG-1", "qty": -1}"#, 422),
            (r#"{"sku": "MUG-1"}"#, 422),
            (long.as_str(), 422),
            ("{", 400),
            (r#"{"sku": "MUG-1", "qty": 1}"#, 201),
        ] {
            assert_eq!(ask(&shop, "POST /api/orders", body).0, status, "{body}");
        }
        assert_eq!(ask(&shop, "GET /api/orders/..%2f..%2fprobity", "").0, 404);
        assert!(ask(&shop, "GET /version", "").1["build"].is_string());
    }

    #[test]
    fn a_cancelled_order_is_never_stored_and_a_dropped_shop_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let shop = Shop::open(dir.path().join("orders"), false).unwrap();
        let order = |qty| ask(&shop, "POST /api/orders", &format!(r#"{{"sku": "PEN-3", "qty": {qty}}}"#)).1;
        let id = |order: Value| order["id"].as_str().unwrap().to_owned();
        let (first, second) = (id(order(1)), id(order(2)));
        assert_eq!(ask(&shop, &format!("DELETE /api/orders/{first}"), "").0, 204);
        ready(&shop, &second);
        assert!(read(&dir.path().join("orders"), &first).is_err());
        // A connection that idles does not keep the shop open.
        let _idle = TcpStream::connect(shop.address).unwrap();
        let address = shop.address;
        drop(shop);
        assert!(TcpStream::connect(address).is_err());
    }
}
